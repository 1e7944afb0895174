"""Simple guesses of a new model's full row, beside which a prediction must be worth having."""

from __future__ import annotations

import numpy as np
import pandas as pd


def means(training: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Guess each column's mean; what was measured does not matter."""
    mean = training.mean()
    return pd.DataFrame([mean] * len(measured), index=measured.index)


def shifted_means(training: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """As many units above each mean as the model was on average where it was measured."""
    inputs, unit = measured.columns, training.std(ddof=0)
    surplus = ((measured - training[inputs].mean()) / unit[inputs]).mean(axis=1)
    return means(training, measured) + np.outer(surplus, unit)


def nearest_rows(training: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """The row of the training model that is most like it where it was measured."""
    inputs = measured.columns
    unit = training[inputs].std(ddof=0)
    near = [
        (((training[inputs] - row) / unit) ** 2).sum(axis=1).idxmin()
        for _, row in measured.iterrows()
    ]
    return training.loc[near].set_axis(measured.index)
