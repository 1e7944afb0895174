"""Ridge with one more input, for all inputs at once: bordered inverses instead of eigenproblems.

With A = G + alpha I of a base and an input j to add, let s = A_jj - A_j A^-1 A_j' and
v = (-A^-1 A_j', 1): the inverse of the bordered matrix is A^-1 + v v' / s. All that a loss needs of
the new input are quadratic forms of v, and in the base's eigenvectors A^-1 is diagonal for every
alpha: one eigenproblem per base serves all inputs and all alphas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from eevee.base.arrays import FloatArray, IntArray
from eevee.scorers.ridge.alpha import first_smallest
from eevee.scorers.ridge.grams import Grams, eigh, padded


@dataclass(frozen=True, eq=False)
class Form:
    """One symmetric matrix, seen along the eigenvectors of each base.

    Attributes
    ----------
    inner : shape (n_problems, n_inputs, n_inputs)
        Base x base.
    edge : shape (n_problems, n_inputs, n_columns)
        Base x every column.
    corner : shape (n_problems, n_columns)
        Every column x itself.
    """

    inner: torch.Tensor
    edge: torch.Tensor
    corner: torch.Tensor

    def bent(self, slopes: torch.Tensor) -> torch.Tensor:
        """Base part of the matrix times v, where v = (-slopes, 1)."""
        return self.edge - torch.bmm(self.inner, slopes)

    def value(self, slopes: torch.Tensor, bent: torch.Tensor) -> torch.Tensor:
        """The quadratic form of v."""
        return self.corner - (slopes * (self.edge + bent)).sum(1)


def additions(grams: Grams, bases: IntArray) -> FloatArray:
    """Loss of each base with each column added, (n_bases, n_splits, n_columns).

    Equal to `grams.losses` within rounding. Columns of the base itself get a number without a
    meaning.

    Parameters
    ----------
    grams : Grams
        With weights that all subsets share.
    bases : shape (n_bases, n_inputs)
    """
    spectrum, gram, test_gram, squares, cross = _forms(grams, bases)
    grid = grams.choice.alphas
    alphas = grid.expand(-1, -1, len(bases)).reshape(len(grid), -1).T
    total, rest = (part.expand(-1, len(bases)).reshape(-1, 1) for part in grams.constants(None))
    n_rows = grams.choice.rows.expand(-1, len(bases)).reshape(-1, 1, 1)
    alpha = alphas[:, :1].expand(-1, grams.side)
    if alphas.shape[1] > 1:
        curve = _gcv(spectrum, gram, squares, total[:, None], n_rows, alphas[:, :, None])
        alpha = alphas.gather(1, first_smallest(curve.transpose(0, 1)))
    losses = _change(spectrum, gram, test_gram, squares, cross, alpha) + rest
    by_split = losses.view(grams.n_splits, len(bases), -1).transpose(0, 1)
    return by_split[..., : grams.n_columns].numpy()


def _forms(grams: Grams, bases: IntArray) -> tuple[torch.Tensor, Form, Form, Form, Form]:
    """Eigenvalues, and the matrices G, Gt, M and N along the eigenvectors of the bases."""
    n_bases, n_inputs = bases.shape
    side = grams.side
    picked = np.full((n_bases, padded(n_inputs)), side - 1)
    picked[:, :n_inputs] = bases
    index = torch.from_numpy(picked)
    whole = grams.matrices.view(4, grams.n_splits, side, side)
    edges = whole[:, :, index].view(4, -1, index.shape[1], side)
    columns = index.repeat(grams.n_splits, 1)[None, :, None].expand(4, -1, index.shape[1], -1)
    inner = edges.gather(3, columns)
    corners = whole.diagonal(dim1=2, dim2=3)[:, :, None].expand(-1, -1, n_bases, -1)
    spectrum, vectors = eigh(inner[0], n_inputs)
    turned = [
        Form(
            inner=torch.bmm(vectors.mT, torch.bmm(inner[i], vectors)),
            edge=torch.bmm(vectors.mT, edges[i]),
            corner=corners[i].reshape(-1, side),
        )
        for i in range(4)
    ]
    return spectrum, turned[0], turned[1], turned[2], turned[3]


def _gcv(
    spectrum: torch.Tensor,
    gram: Form,
    squares: Form,
    total: torch.Tensor,
    n_rows: torch.Tensor,
    alphas: torch.Tensor,
) -> torch.Tensor:
    """Generalised cross-validation for each alpha, (n_problems, n_alphas, n_columns)."""
    inverse = (spectrum[:, None] + alphas).reciprocal()
    gram_squared, product = gram.edge**2, gram.edge * squares.edge
    left_over = gram.corner[:, None] + alphas - torch.bmm(inverse, gram_squared)
    length = (1.0 + torch.bmm(inverse**2, gram_squared)) / left_over
    bend, mixed_bend = _bends(inverse, gram.edge, squares.inner)
    gain = (squares.corner[:, None] - 2.0 * torch.bmm(inverse, product) + bend) / left_over
    mixed = (torch.bmm(inverse**2, product) - mixed_bend) / left_over
    explained = squares.inner.diagonal(dim1=1, dim2=2)[:, None]
    base = (explained * inverse * (1.0 + alphas * inverse)).sum(2, keepdim=True)
    rss = total - base - gain - alphas * (length * gain - 2.0 * mixed)
    degrees = (spectrum[:, None] * inverse).sum(2, keepdim=True) + 1.0 - alphas * length
    left = n_rows - 1.0 - degrees
    return torch.where(left > 0, n_rows * rss.clamp(min=0.0) / left**2, torch.inf)


def _bends(
    inverse: torch.Tensor, edge: torch.Tensor, inner: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """u' M u and u' A^-1 M u for u = A^-1 A_j', each (n_problems, n_alphas, n_columns).

    The only part that mixes eigenvectors, and so has to be formed for each alpha.
    """
    weights = inverse.mT[:, :, :, None]
    slopes = weights * edge[:, :, None]
    products = torch.bmm(inner, slopes.flatten(2)).view_as(slopes).mul_(slopes)
    return products.sum(1), products.mul_(weights).sum(1)


def _change(
    spectrum: torch.Tensor,
    gram: Form,
    test_gram: Form,
    squares: Form,
    cross: Form,
    alpha: torch.Tensor,
) -> torch.Tensor:
    """Loss less that of the mean predictor, each column with its alpha, (n_problems, n_columns)."""
    inverse = (spectrum[:, :, None] + alpha[:, None]).reciprocal()
    slopes = inverse * gram.edge
    left_over = gram.corner + alpha - (gram.edge * slopes).sum(1)
    test_bent, fit_bent = test_gram.bent(slopes), squares.bent(slopes)
    both = torch.bmm(test_gram.inner * squares.inner, inverse)
    base = (inverse * (both - 2.0 * cross.inner.diagonal(dim1=1, dim2=2)[:, :, None])).sum(1)
    mixed = (test_bent * inverse * fit_bent).sum(1)
    test_gain = test_gram.value(slopes, test_bent) / left_over
    gain = squares.value(slopes, fit_bent)
    cross_gain = cross.value(slopes, cross.bent(slopes))
    return base + (2.0 * (mixed - cross_gain) + test_gain * gain) / left_over
