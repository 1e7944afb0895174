"""What one model of the zoo is: preprocessing, then one or more scikit-learn steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

SEED = 0
# MinMaxScaler clips: the multinomial models cannot take a negative value in a test row.
SCALERS = {"none": "passthrough", "standard": StandardScaler(), "unit": MinMaxScaler(clip=True)}


@dataclass(frozen=True)
class Step:
    """One estimator class of a pipeline and the parameters that differ from its defaults."""

    kind: type[BaseEstimator]
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Configuration:
    """One model of the zoo: a name, a family, a scaling and the steps after it."""

    name: str
    family: str
    scaling: str
    steps: tuple[Step, ...]

    def build(self) -> Pipeline:
        """Return a fresh, unfitted pipeline with every random state fixed."""
        return _seeded(make_pipeline(_preprocessing(self.scaling), *map(_instance, self.steps)))

    def describe(self) -> dict[str, str]:
        """Return the row of this model in ``models.csv``."""
        parameters = (f"{k}={v}" for step in self.steps for k, v in step.parameters.items())
        return {
            "model": self.name,
            "family": self.family,
            "scaling": self.scaling,
            "estimator": " + ".join(step.kind.__name__ for step in self.steps),
            "parameters": "; ".join(parameters),
        }


def step(kind: type[BaseEstimator], **parameters: Any) -> Step:
    """Return a step, written like a constructor call."""
    return Step(kind, parameters)


def _instance(part: Step) -> BaseEstimator:
    # Cloned, since seeding would reach into an estimator that is itself a parameter.
    return clone(part.kind(**part.parameters))


def _preprocessing(scaling: str) -> BaseEstimator:
    nominal = make_column_selector(dtype_exclude="number")
    numeric = make_column_selector(dtype_include="number")
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer((encoder, nominal), (SCALERS[scaling], numeric))


def _seeded(pipeline: Pipeline) -> Pipeline:
    names = [name for name in pipeline.get_params() if name.endswith("random_state")]
    return pipeline.set_params(**dict.fromkeys(names, SEED))
