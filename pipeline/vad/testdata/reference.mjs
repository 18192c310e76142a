// Computes reference.json: the probabilities that ONNX Runtime gives for the parity test's signals.
//
//   go test ./pipeline/vad -run ONNXRuntime -dump DIR
//   (cd DIR && npm install --ignore-scripts onnxruntime-node)
//   cp pipeline/vad/testdata/reference.mjs DIR && node DIR/reference.mjs pipeline/vad/weights/silero_vad.onnx DIR/*.s16 > pipeline/vad/testdata/reference.json
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import ort from 'onnxruntime-node'

const [model, ...files] = process.argv.slice(2)
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 })
const sr = new ort.Tensor('int64', BigInt64Array.of(16000n), [])
const lines = []
for (const file of files) {
  const bytes = readFileSync(file)
  const input = new Float32Array(64 + 512)
  let state = new ort.Tensor('float32', new Float32Array(2 * 128), [2, 1, 128])
  const probs = []
  for (let at = 0; at + 1024 <= bytes.length; at += 1024) {
    input.copyWithin(0, 512)
    for (let i = 0; i < 512; i++) input[64 + i] = bytes.readInt16LE(at + 2 * i) / 32768
    const result = await session.run({ input: new ort.Tensor('float32', input, [1, 576]), state, sr })
    state = result.stateN
    probs.push(Number(result.output.data[0].toFixed(5)))
  }
  lines.push(`  ${JSON.stringify(basename(file, '.s16'))}: [${probs.join(', ')}]`)
}
console.log(`{\n${lines.join(',\n')}\n}`)
