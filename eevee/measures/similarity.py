"""Distances between layers on the same samples: CKA, Procrustes, and canonical correlations."""

from __future__ import annotations

import numpy.typing as npt

from eevee.measures.layers import MARGIN, Layer
from eevee.measures.measure import Measure
from eevee.measures.similarity_kinds import KEPT, PLAIN, Energy, Similarity, find_similarity


def _measure(
    kind: Similarity,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    margin: float,
    n_groups: int,
    seed: int,
) -> Measure:
    layers = Layer.of(first, "first layer"), Layer.of(second, "second layer")
    return kind.measure(*layers, margin=margin, n_groups=n_groups, seed=seed)


def cka(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    debiased: bool = False,
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return 1 minus the linear centred kernel alignment of two layers.

    Parameters
    ----------
    first, second : arrays, shape (n_samples, n_columns)
        Activations on the same samples; numbers of columns may differ.
    debiased : bool
        With unbiased estimates of HSIC: right for any number of samples, and above 1 if layers are
        less similar than by chance. Without, layers look more similar the fewer the samples.
    n_groups : int
        Groups of samples of the jackknife; 0 for no standard error, which assumes independent
        samples: patches of one image are not.
    seed : int
        Of the groups.

    Raises
    ------
    EeveeError
        If the input is invalid (`Layer.of`).

    Notes
    -----
    Kornblith et al., "Similarity of neural network representations revisited", 2019; debiased:
    Song et al., "Feature selection via dependence maximization", 2012. In [0, 1] if not debiased;
    0 after rotation, shift and a common scale.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(50, 3))
    >>> cka(rows, 2 * rows[:, ::-1] + 1).value < 1e-12
    True
    """
    kind = PLAIN["cka-debiased" if debiased else "cka"]
    return _measure(kind, first, second, 0, n_groups, seed)


def opd(
    first: npt.ArrayLike, second: npt.ArrayLike, *, n_groups: int = 0, seed: int = 0
) -> Measure:
    """Return half of the squared orthogonal Procrustes distance of two layers, in [0, 1].

    Parameters
    ----------
    first, second, n_groups, seed
        As of `cka`.

    Raises
    ------
    EeveeError
        If the input is invalid (`Layer.of`).

    Notes
    -----
    Ding et al., "Grounding representation similarity with statistical testing", 2021: of centred
    layers of Frobenius norm one, 1 minus the nuclear norm of their product.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(50, 3))
    >>> opd(rows, 2 * rows[:, ::-1] + 1).value < 1e-12
    True
    """
    return _measure(PLAIN["opd"], first, second, 0, n_groups, seed)


def mean_cca(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    margin: float = MARGIN,
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return 1 minus the mean canonical correlation of two layers.

    Parameters
    ----------
    first, second, n_groups, seed
        As of `cka`.
    margin : float
        Samples required per linearly independent column: with few, unrelated layers have high
        correlations. 0 for no check.

    Raises
    ------
    EeveeError
        If the input is invalid (`Layer.of`), or there are too few samples.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(50, 3))
    >>> mean_cca(rows, rows @ np.triu(np.ones((3, 3)))).value < 1e-12
    True
    """
    return _measure(PLAIN["mean-cca"], first, second, margin, n_groups, seed)


def svcca(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    kept: float = KEPT,
    energy: Energy = "sigma",
    convention: str = "paper",
    margin: float = MARGIN,
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return 1 minus the mean canonical correlation of the principal directions of two layers.

    Parameters
    ----------
    first, second, margin, n_groups, seed
        As of `mean_cca`; columns are the directions that are kept.
    kept : float
        Least share of the sum of singular values in the directions.
    energy : {"sigma", "sigma2"}
        Sum singular values, as the formulas and released codes do, or their squares (variance), as
        the text of the papers says.
    convention : {"paper", "reference"}
        The released code keeps one direction fewer, and chooses them before centring.

    Raises
    ------
    EeveeError
        If the input is invalid (`Layer.of`), or there are too few samples.

    Notes
    -----
    Raghu et al., "SVCCA", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(50, 3))
    >>> svcca(rows, rows @ np.triu(np.ones((3, 3))), kept=1).value < 1e-12
    True
    """
    kind = find_similarity("svcca", convention=convention, kept=kept, energy=energy)
    return _measure(kind, first, second, margin, n_groups, seed)


def pwcca(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    convention: str = "paper",
    margin: float = MARGIN,
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return 1 minus the mean of canonical correlations, weighted by their share of `first`.

    Parameters
    ----------
    first, second, margin, n_groups, seed
        As of `mean_cca`. Not symmetric: weights are those of `first`.
    convention : {"paper", "reference", "anatome"}
        Weights by canonical variates; as in google/svcca, the code of the method's authors; or as
        in moskomule/anatome.

    Raises
    ------
    EeveeError
        If the input is invalid (`Layer.of`), or there are too few samples.

    Notes
    -----
    Morcos et al., "Insights on representational similarity in neural networks with canonical
    correlation", 2018. google/svcca weighs the layer with fewer columns, whichever it is, and its
    value depends on signs that the linear algebra library chooses.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(50, 3))
    >>> pwcca(rows, rows @ np.triu(np.ones((3, 3)))).value < 1e-12
    True
    """
    kind = find_similarity("pwcca", convention=convention)
    return _measure(kind, first, second, margin, n_groups, seed)
