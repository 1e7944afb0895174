"""Names of columns in English words: what other languages and short forms call them."""

from __future__ import annotations

import re
from functools import lru_cache

from eevee.tables.column_names import flat

_WORDS = {
    "cost": "kosten coût cout coûts costo costos coste costes custo custos costi стоимость",
    "price": "preis preise prix precio precios prezzo preço preco цена",
    "runtime": "laufzeit rechenzeit",
    "time": "zeit dauer temps durée duree tiempo tempo duración durata время",
    "latency": "latenz latence latencia latenza задержка ttft tpot itl",
    "memory": "speicher mémoire memoire memoria память",
    "throughput": "durchsatz débit debit rtf rtfx",
    "energy": "energie énergie energía energia энергия",
    "rank": "rang classement rango clasificación posizione ранг место",
    "year": "jahr année annee año ano anno год",
    "date": "datum fecha дата",
    "params": "parameter parametern paramètres parametres parámetros parametros parametri",
    "size": "größe grösse taille tamaño tamanho dimensione размер",
    "average": "durchschnitt mittelwert mittel moyenne promedio среднее gesamtdurchschnitt",
    "total": "gesamt summe somme suma insgesamt итого",
    "count": "anzahl número conteggio количество",
    "model": "modell modelle modèle modèles modelo modelos modello modelli модель",
    "license": "lizenz licencia licença licenza",
    "organization": "organisation organización organizzazione организация",
    "context": "ctx",
    "context length": "kontextlänge kontextfenster",
}
_ENGLISH = {word: english for english, words in _WORDS.items() for word in words.split()}
_ENDS = {
    "价格": "price", "价": "price", "成本": "cost", "费用": "cost", "延迟": "latency",
    "耗时": "time", "用时": "time", "时间": "time", "显存": "memory", "内存": "memory",
    "速度": "speed",
    "吞吐量": "throughput", "排名": "rank", "名次": "rank", "日期": "date", "年份": "year",
    "参数量": "params", "参数": "params", "平均": "average", "平均分": "average", "均值": "average",
    "总分": "total score", "模型": "model", "模型名称": "model name", "许可证": "license",
    "样本数": "count", "机构": "organization",
    "価格": "price", "料金": "price", "コスト": "cost", "レイテンシ": "latency", "時間": "time",
    "メモリ": "memory", "順位": "rank", "日付": "date", "パラメータ数": "params", "モデル": "model",
    "モデル名": "model name", "合計": "total",
    "가격": "price", "비용": "cost", "지연": "latency", "시간": "time", "순위": "rank",
    "날짜": "date",
    "평균": "average", "모델": "model", "합계": "total",
}  # fmt: skip
"""Words of scripts that put no spaces between them: what a name ends with says what it is."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@lru_cache(maxsize=4096)
def in_english(name: str) -> str:
    """Write a name with English words, in lower case, as `flat` does.

    Examples
    --------
    >>> [in_english(name) for name in ("Laufzeit (s)", "推理时间", "时间推理", "Temps")]
    ['runtime', '推理 time', '时间推理', 'time']
    """
    words = [_ENGLISH.get(word, word) for word in flat(name).split()]
    if words and _WIDE.search(words[-1]):
        ends = [end for end in _ENDS if words[-1].endswith(end)]
        if ends:
            end = max(ends, key=len)
            words[-1:] = [words[-1].removesuffix(end), _ENDS[end]]
    return " ".join(filter(None, words))
