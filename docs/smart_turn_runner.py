"""Runs a Smart Turn v3 model for Viva: pip install numpy onnxruntime, then start Viva with

    --turn-audio-model smart-turn-v3.2-cpu.onnx --turn-audio-runner "python3 docs/smart_turn_runner.py"

Viva writes questions to standard input and reads answers from standard output. Both are a number that counts (uint32), and that
many numbers (float32), little-endian: 80 × 800 features in, one probability that the turn is over out.
"""
import signal
import struct
import sys

import numpy as np
import onnxruntime as ort


def main(path):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for Viva, which still needs answers while it drains
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(path, sess_options=options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    while head := sys.stdin.buffer.read(4):
        count = struct.unpack("<I", head)[0]
        features = np.frombuffer(sys.stdin.buffer.read(4 * count), dtype="<f4").reshape(1, 80, -1)
        probability = float(np.ravel(session.run(None, {name: features})[0])[0])
        sys.stdout.buffer.write(struct.pack("<If", 1, probability))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
