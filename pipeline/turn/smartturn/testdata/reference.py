"""Computes reference.json: the features of Whisper's front end, in NumPy, of the signals of features_test.go.

    go test ./pipeline/turn/smartturn -run Reference -dump DIR
    python3 pipeline/turn/smartturn/testdata/reference.py DIR/*.s16 > pipeline/turn/smartturn/testdata/reference.json
"""
import json
import os
import sys

import numpy as np

SAMPLES, FFT, HOP, MELS = 128_000, 400, 160, 80


def slaney_to_hertz(mel):
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))


def filters():
    edges = slaney_to_hertz(np.linspace(0, 15 + 27 * np.log(8) / np.log(6.4), MELS + 2))
    bins = np.linspace(0, 8000, FFT // 2 + 1)
    rows = []
    for low, peak, high in zip(edges, edges[1:], edges[2:]):
        triangle = np.minimum((bins - low) / (peak - low), (high - bins) / (high - peak))
        rows.append(np.maximum(triangle, 0) * 2 / (high - low))
    return np.array(rows)


def features(pcm):
    wave = np.zeros(SAMPLES)
    pcm = pcm[-SAMPLES:]
    wave[SAMPLES - len(pcm):] = pcm / 32768
    wave = (wave - wave.mean()) / np.sqrt(wave.var() + 1e-7)
    wave = np.pad(wave, FFT // 2, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FFT) / FFT)
    power = np.array([np.abs(np.fft.rfft(wave[t * HOP:t * HOP + FFT] * window)) ** 2 for t in range(SAMPLES // HOP)])
    log = np.log10(np.maximum(filters() @ power.T, 1e-10))
    return (np.maximum(log, log.max() - 8) + 4) / 4


def main():
    lines = []
    for path in sys.argv[1:]:
        out = features(np.fromfile(path, dtype="<i2").astype(float))
        some = {f"{m},{t}": round(float(out[m, t]), 5) for t in (0, 1, 2, 399, 400, 555, 701, 770, 798, 799) for m in range(0, MELS, 7)}
        sums = {"mean": round(float(out.mean()), 6), "rms": round(float(np.sqrt((out ** 2).mean())), 6)}
        lines.append(f"  {json.dumps(os.path.basename(path)[:-4])}: {json.dumps({**sums, **some})}")
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
