"""The models of the zoo: scikit-learn configurations, from useless to strong.

Every configuration is one line of ``MODELS``: a name, a family, how numeric features are
scaled, and the steps that follow. Weak settings are there on purpose, so that models differ.
"""

from __future__ import annotations

import pandas as pd
from configuration import Configuration, Step, step
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import BernoulliRBM, MLPClassifier
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier


def models_frame() -> pd.DataFrame:
    """Return the content of ``models.csv``, in the order of ``MODELS``."""
    return pd.DataFrame([model.describe() for model in MODELS.values()])


def _family(
    name: str, scaling: str, rows: dict[str, Step | tuple[Step, ...]]
) -> list[Configuration]:
    return [
        Configuration(model, name, scaling, steps if isinstance(steps, tuple) else (steps,))
        for model, steps in rows.items()
    ]


_DUMMY = _family(
    "dummy",
    "none",
    {
        "dummy-majority": step(DummyClassifier, strategy="most_frequent"),
        "dummy-stratified": step(DummyClassifier, strategy="stratified"),
    },
)

_LINEAR = _family(
    "linear",
    "standard",
    {
        "logistic-c0.001": step(LogisticRegression, C=0.001, max_iter=300),
        "logistic-c0.1": step(LogisticRegression, C=0.1, max_iter=300),
        "logistic-c10": step(LogisticRegression, C=10.0, max_iter=300),
        "logistic-pca-half": (step(PCA, n_components=0.5), step(LogisticRegression, max_iter=300)),
        "logistic-binned": (
            step(KBinsDiscretizer, n_bins=5, encode="onehot-dense", strategy="uniform"),
            step(LogisticRegression, C=0.3, max_iter=300),
        ),
        "ridge-3000": step(RidgeClassifier, alpha=3000.0),
        "perceptron": step(Perceptron, max_iter=50),
        "perceptron-one-pass": step(Perceptron, max_iter=1, tol=None),
        "passive-aggressive": step(
            SGDClassifier, loss="hinge", penalty=None, learning_rate="pa1", eta0=0.01, max_iter=50
        ),
        "sgd-hinge-l1": step(SGDClassifier, loss="hinge", penalty="l1", alpha=0.01, max_iter=50),
        "linear-svm-c0.003": step(LinearSVC, C=0.003),
        "linear-svm-c1": step(LinearSVC, C=1.0, max_iter=300),
    },
)

_DISCRIMINANT = _family(
    "discriminant",
    "standard",
    {
        "lda": step(LinearDiscriminantAnalysis),
        "lda-auto-shrinkage": step(LinearDiscriminantAnalysis, solver="lsqr", shrinkage="auto"),
        "lda-shrinkage-0.9": step(LinearDiscriminantAnalysis, solver="lsqr", shrinkage=0.9),
        "qda-0.01": step(QuadraticDiscriminantAnalysis, solver="eigen", shrinkage=0.01),
        "qda-0.5": step(QuadraticDiscriminantAnalysis, solver="eigen", shrinkage=0.5),
        "centroid": step(NearestCentroid),
        "centroid-shrunken": step(NearestCentroid, shrink_threshold=2.0),
    },
)

_BAYES = [
    *_family(
        "naive Bayes",
        "standard",
        {
            "bayes-gaussian": step(GaussianNB),
            "bayes-gaussian-smooth": step(GaussianNB, var_smoothing=1.0),
            "bayes-bernoulli": step(BernoulliNB),
            "bayes-binned": (
                step(KBinsDiscretizer, n_bins=8, encode="onehot-dense", strategy="uniform"),
                step(BernoulliNB),
            ),
        },
    ),
    *_family(
        "naive Bayes",
        "unit",
        {
            "bayes-multinomial": step(MultinomialNB),
            "bayes-complement": step(ComplementNB, alpha=0.5),
        },
    ),
]

_NEIGHBOURS = [
    *_family(
        "k-NN",
        "standard",
        {
            "knn-1": step(KNeighborsClassifier, n_neighbors=1),
            "knn-5": step(KNeighborsClassifier, n_neighbors=5),
            "knn-15-weighted": step(KNeighborsClassifier, n_neighbors=15, weights="distance"),
            "knn-50": step(KNeighborsClassifier, n_neighbors=50),
            "knn-5-manhattan": step(KNeighborsClassifier, n_neighbors=5, p=1, algorithm="kd_tree"),
            "knn-5-cosine": step(KNeighborsClassifier, n_neighbors=5, metric="cosine"),
            "knn-5-pca-half": (
                step(PCA, n_components=0.5),
                step(KNeighborsClassifier, n_neighbors=5),
            ),
        },
    ),
    *_family(
        "k-NN",
        "none",
        {
            "knn-3-unscaled": step(KNeighborsClassifier, n_neighbors=3),
        },
    ),
]

_TREE = _family(
    "tree",
    "none",
    {
        "tree-depth-1": step(DecisionTreeClassifier, max_depth=1),
        "tree-depth-2": step(DecisionTreeClassifier, max_depth=2),
        "tree-depth-4": step(DecisionTreeClassifier, max_depth=4),
        "tree-full": step(DecisionTreeClassifier),
        "tree-entropy-leaf-5": step(
            DecisionTreeClassifier, criterion="entropy", min_samples_leaf=5
        ),
        "tree-pruned": step(DecisionTreeClassifier, ccp_alpha=0.01),
        "tree-random": step(ExtraTreeClassifier),
        "tree-random-one-feature": step(ExtraTreeClassifier, max_features=1, max_depth=6),
    },
)

_FOREST = _family(
    "forest",
    "none",
    {
        "forest-5": step(RandomForestClassifier, n_estimators=5),
        "forest-60": step(RandomForestClassifier, n_estimators=60),
        "forest-40-depth-3": step(RandomForestClassifier, n_estimators=40, max_depth=3),
        "extra-trees-60": step(ExtraTreesClassifier, n_estimators=60),
        "bagging-15": step(BaggingClassifier, n_estimators=15),
        "bagging-subspaces": step(
            BaggingClassifier, n_estimators=20, max_samples=0.3, max_features=0.3
        ),
    },
)

_BOOSTING = _family(
    "boosting",
    "none",
    {
        "adaboost-10": step(AdaBoostClassifier, n_estimators=10),
        "adaboost-60-depth-3": step(
            AdaBoostClassifier, n_estimators=60, estimator=DecisionTreeClassifier(max_depth=3)
        ),
        "boosting-30-stumps": step(
            GradientBoostingClassifier, n_estimators=30, max_depth=1, max_features="sqrt"
        ),
        "boosting-20-half-rows": step(
            GradientBoostingClassifier,
            n_estimators=20,
            subsample=0.5,
            learning_rate=0.3,
            max_features="sqrt",
        ),
        "hist-boosting-30-small": step(
            HistGradientBoostingClassifier, max_iter=30, max_leaf_nodes=6, learning_rate=0.2
        ),
        "hist-boosting-8-fast": step(
            HistGradientBoostingClassifier, max_iter=8, learning_rate=1.0, max_leaf_nodes=15
        ),
    },
)

_KERNEL = _family(
    "kernel",
    "standard",
    {
        "svm-linear": step(SVC, kernel="linear", C=0.1),
        "svm-rbf-c0.05": step(SVC, C=0.05),
        "svm-rbf-c1": step(SVC, C=1.0),
        "svm-rbf-c100": step(SVC, C=100.0),
        "svm-rbf-wide": step(SVC, gamma=0.0005),
        "svm-rbf-narrow": step(SVC, gamma=1.0),
        "svm-cubic": step(SVC, kernel="poly", degree=3, coef0=1.0),
        "svm-sigmoid": step(SVC, kernel="sigmoid"),
        "nystroem-30-ridge": (step(Nystroem, n_components=30), step(RidgeClassifier)),
        "nystroem-90-svm": (step(Nystroem, n_components=90), step(LinearSVC, C=10.0, max_iter=200)),
        "fourier-200-ridge": (
            step(RBFSampler, gamma="scale", n_components=200),
            step(RidgeClassifier),
        ),
    },
)

_NETWORK = [
    *_family(
        "neural network",
        "standard",
        {
            "mlp-3": step(
                MLPClassifier, hidden_layer_sizes=(3,), learning_rate_init=0.01, max_iter=40
            ),
            "mlp-50": step(
                MLPClassifier, hidden_layer_sizes=(50,), learning_rate_init=0.005, max_iter=50
            ),
            "mlp-50-5-epochs": step(MLPClassifier, hidden_layer_sizes=(50,), max_iter=5),
            "mlp-100-decay": step(
                MLPClassifier,
                hidden_layer_sizes=(100,),
                alpha=10.0,
                learning_rate_init=0.01,
                max_iter=30,
            ),
            "mlp-30-tanh-sgd": step(
                MLPClassifier,
                hidden_layer_sizes=(30,),
                activation="tanh",
                solver="sgd",
                learning_rate_init=0.05,
                max_iter=40,
            ),
        },
    ),
    *_family(
        "neural network",
        "unit",
        {
            "rbm-25-logistic": (
                step(BernoulliRBM, n_components=25, learning_rate=0.05, n_iter=5),
                step(LogisticRegression, C=10.0, max_iter=200),
            ),
        },
    ),
]

_ALL = [
    *_DUMMY,
    *_LINEAR,
    *_DISCRIMINANT,
    *_BAYES,
    *_NEIGHBOURS,
    *_TREE,
    *_FOREST,
    *_BOOSTING,
    *_KERNEL,
    *_NETWORK,
]
MODELS: dict[str, Configuration] = {model.name: model for model in _ALL}
