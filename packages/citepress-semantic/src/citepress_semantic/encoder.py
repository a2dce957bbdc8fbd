"""Texts as vectors by an ONNX model of sentences, on this machine and from files alone."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from citepress.base.cores import usable_cores
from citepress_semantic.files import ModelFiles, SemanticError, word_pieces
from citepress_semantic.wordpiece import WordPieces

Vectors = NDArray[np.float32]
"""One row for each text."""
TEXT_TOKENS, QUESTION_TOKENS = 256, 64
"""Tokens that are read of a record and of a question."""
DIMENSIONS = (16, 1024)
"""Numbers in a vector: at least and at most."""
BY_TOKEN = 3
"""Dimensions of an answer that has a vector for each token: text, token, number."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Encoder:
    """A model in memory; safe to share among threads."""

    def __init__(self, files: ModelFiles) -> None:
        """Raises ``SemanticError`` where the files are none of a model of sentences."""
        self.digest = files.digest
        self.pieces: WordPieces = word_pieces(files)
        options = onnxruntime.SessionOptions()
        # One thread each, and one text at a time: sums, and the scales of a model in small integers, would otherwise
        # depend on the number of processors and on the other texts.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(files.model), options, providers=["CPUExecutionProvider"])
            self._inputs = {member.name for member in self._session.get_inputs()}
            self.dimensions = len(self._single(self.pieces.numbers("a", 8)))
        except SemanticError as error:
            raise SemanticError(f"{files.model}: {error}") from error
        except Exception as error:  # the library raises many types of its own for a file that it cannot read
            raise SemanticError(
                f"{files.model} is not a model that can be run: {' '.join(str(error).split())[:200]}"
            ) from error

    def question(self, text: str) -> Vectors:
        """The vector of a question, of length 1."""
        return self._single(self.pieces.numbers(text, QUESTION_TOKENS))

    def texts(self, texts: Iterable[str]) -> Iterator[Vectors]:
        """The vector of each text, of length 1, in order; each processor that may be used takes one."""
        return self._parallel(self.pieces.numbers(text, TEXT_TOKENS) for text in texts)

    def _parallel(self, numbered: Iterable[list[int]]) -> Iterator[Vectors]:
        with ThreadPoolExecutor(usable_cores()) as threads:
            yield from threads.map(self._single, numbered)

    def _single(self, numbers: list[int]) -> Vectors:
        vector: Vectors = self._run(np.array([numbers], np.int64))[0]
        return vector

    def _run(self, ids: NDArray[np.int64]) -> Vectors:
        """The vectors of texts of the same number of tokens, one a line."""
        given = dict(zip(INPUTS, (ids, np.ones_like(ids), np.zeros_like(ids)), strict=True))
        if not self._inputs <= given.keys() or INPUTS[0] not in self._inputs:
            raise SemanticError(f"it takes {', '.join(sorted(self._inputs))}; a model takes {', '.join(INPUTS)}")
        states = np.asarray(self._session.run(None, {name: given[name] for name in self._inputs})[0], np.float32)
        vectors: Vectors = states.mean(axis=1) if states.ndim == BY_TOKEN else states
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        fits = vectors.ndim == BY_TOKEN - 1 and DIMENSIONS[0] <= vectors.shape[1] <= DIMENSIONS[1]
        if not (fits and len(vectors) == len(ids) and np.isfinite(lengths).all() and lengths.all()):
            raise SemanticError(f"it answers with numbers of the shape {states.shape}, which are not vectors of texts")
        normal: Vectors = np.divide(vectors, lengths, dtype=np.float32)
        return normal
