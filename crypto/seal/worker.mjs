// SPDX-License-Identifier: MIT
// The SEAL worker: Microsoft SEAL (npm's node-seal, WebAssembly) behind two pipes. A child process of sotto; it ends when its
// standard input does.
//
// Frames both ways, little-endian: u32 length of what follows, u8 operation, u32 id, payload. One answer to every request,
// with its operation and id, or ERROR with a text. Keys and contexts stay here; the other side has their numbers.
//   HELLO                                                          -> text: versions
//   CONTEXT  u8 ckks, u32 N, u32 n, n x u64 primes, u64 t          -> u32 context
//   KEYGEN   u32 context, seed                                     -> u32 key, public key
//   OPEN     u32 context, public key                               -> u32 key
//   ENCRYPT  u32 key, seed, plain                                  -> ciphertext
//   RESPOND  u32 key, seed, u32 drop, plain factor, plain addend, u32 bytes + onto, request    -> ciphertext
//   DECRYPT  u32 key, u8 kind, n x (u32 bytes + ciphertext)        -> words of their sum
//   BUDGET   u32 key, ciphertext                                   -> i32 bits of noise that are left
//   EXPAND   u32 key, ciphertext                                   -> ciphertext without a seed
//   FREE     u32 key
// plain: u8 kind (0 coefficients, 1 slots, 2 real slots), f64 scale, u32 n, n x u64 (or f64).
//
// Randomness: SEAL's generators are seeded from the system; here "the system" is AES-256-CTR under the seed that comes with
// an operation, so that the same seed gives the same ciphertext.
import crypto from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'

const OPS = ['HELLO', 'CONTEXT', 'KEYGEN', 'OPEN', 'ENCRYPT', 'RESPOND', 'DECRYPT', 'BUDGET', 'EXPAND', 'FREE', 'ERROR']
const op = Object.fromEntries(OPS.map((name, k) => [name, k]))

let stream = null
crypto.randomFillSync = view => {
  if (stream === null) throw new Error('randomness was drawn outside an operation')
  const bytes = new Uint8Array(view.buffer ?? view, view.byteOffset ?? 0, view.byteLength)
  bytes.set(stream.update(Buffer.alloc(bytes.length)))
  return view
}

const require = createRequire(import.meta.url)
const seal = await require('node-seal')()
const NONE = seal.ComprModeType.none
const saved = seal.PlainText()
const sealVersion = saved.saveArray(NONE).slice(3, 5).join('.') // in the header of whatever it saves
saved.delete()
const contexts = []
const keys = new Map()
let nextKey = 1

class Cursor {
  constructor(bytes) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = 0
  }
  u8() { return this.view.getUint8(this.at++) }
  u32() { return this.view.getUint32((this.at += 4) - 4, true) }
  u64() { return this.view.getBigUint64((this.at += 8) - 8, true) }
  f64() { return this.view.getFloat64((this.at += 8) - 8, true) }
  raw(size) {
    if (this.at + size > this.bytes.length) throw new Error('a truncated frame')
    return this.bytes.subarray((this.at += size) - size, this.at)
  }
  rest() { return this.raw(this.bytes.length - this.at) }
  get left() { return this.bytes.length - this.at }
}

/// Runs `work` with the objects it makes, and frees them whatever happens.
function scoped(work) {
  const made = []
  const keep = thing => (made.push(thing), thing)
  try {
    return work(keep)
  } finally {
    for (const thing of made) thing.delete()
  }
}

function seeded(seed, work) {
  stream = crypto.createCipheriv('aes-256-ctr', seed, Buffer.alloc(16))
  try {
    return work()
  } finally {
    stream = null
  }
}

function makeContext(c) {
  const ckks = c.u8() === 1
  const N = c.u32()
  const primes = BigUint64Array.from({ length: c.u32() }, () => c.u64())
  const t = c.u64()
  const context = scoped(keep => {
    const parameters = keep(seal.EncryptionParameters(ckks ? seal.SchemeType.ckks : seal.SchemeType.bfv))
    parameters.setPolyModulusDegree(N)
    const modulus = keep(seal.Vector())
    modulus.from(Array.from(primes, p => keep(seal.Modulus(p)).instance), 'Modulus')
    parameters.setCoeffModulus(modulus)
    if (!ckks) parameters.setPlainModulus(keep(seal.Modulus(t)))
    return seal.Context(parameters, true, seal.SecurityLevel.tc128)
  })
  if (!context.parametersSet()) throw new Error('SEAL refuses these parameters: ' + context.toHuman())
  // where raw words lie in a saved plaintext: behind this
  const empty = seal.PlainText({ capacity: N, coeffCount: N })
  const zeros = empty.saveArray(NONE)
  empty.delete()
  contexts.push({
    context, N, levels: primes.length - 1, ckks,
    plainPrefix: zeros.slice(0, zeros.length - 8 * N),
    evaluator: seal.Evaluator(context),
    slots: ckks ? null : seal.BatchEncoder(context),
    reals: ckks ? seal.CKKSEncoder(context) : null
  })
  return contexts.length - 1
}

const words = bytes => new BigUint64Array(new Uint8Array(bytes).buffer)

/// A plaintext of the frame, or null for zero: multiplying by it would leave no ciphertext. And its scale.
function readPlain(c, its, keep) {
  const kind = c.u8()
  const scale = c.f64()
  return [readWords(c.raw(8 * c.u32()), kind, scale, its, keep), scale]
}

function readWords(bytes, kind, scale, its, keep) {
  if (bytes.every(b => b === 0)) return null
  if (kind === 2) return keep(its.reals.encode(new Float64Array(new Uint8Array(bytes).buffer), scale))
  if (kind === 1) return keep(its.slots.encode(words(bytes)))
  const whole = new Uint8Array(its.plainPrefix.length + 8 * its.N)
  whole.set(its.plainPrefix)
  whole.set(bytes, its.plainPrefix.length)
  const plain = keep(seal.PlainText())
  plain.loadArray(its.context, whole)
  return plain
}

function load(its, bytes, keep) {
  const ciphertext = keep(seal.CipherText())
  ciphertext.loadArray(its.context, bytes)
  return ciphertext
}

function addKey(key) {
  keys.set(nextKey, key)
  return nextKey++
}

function keygen(c) {
  const its = contexts[c.u32()]
  return seeded(c.raw(32), () =>
    scoped(keep => {
      const generator = keep(seal.KeyGenerator(its.context))
      const drawn = keep(generator.instance.secretKey()) // a copy of its own, which generator.secretKey() would never free
      const secret = seal.SecretKey()
      secret.inject(drawn)
      const shared = keep(generator.createPublicKeySerializable()).saveArray(NONE)
      const publicKey = keep(seal.PublicKey())
      publicKey.loadArray(its.context, shared)
      const key = addKey({
        its, secret,
        encryptor: seal.Encryptor(its.context, publicKey, secret),
        decryptor: seal.Decryptor(its.context, secret)
      })
      return [key, shared]
    })
  )
}

function open(c) {
  const its = contexts[c.u32()]
  return scoped(keep => {
    const publicKey = keep(seal.PublicKey())
    publicKey.loadArray(its.context, c.rest())
    return addKey({ its, encryptor: seal.Encryptor(its.context, publicKey) })
  })
}

function encrypt(c) {
  const { its, encryptor } = keys.get(c.u32())
  return seeded(c.raw(32), () =>
    scoped(keep => {
      let [plain, scale] = readPlain(c, its, keep)
      if (plain === null) plain = keep(its.ckks ? its.reals.encode(new Float64Array(1), scale) : seal.PlainText())
      return keep(encryptor.encryptSymmetricSerializable(plain)).saveArray(NONE)
    })
  )
}

/// One operation that nobody can take apart: x factor, + addend, + Enc(0), + words onto c0, fewer primes.
function respond(c) {
  const { its, encryptor } = keys.get(c.u32())
  const { evaluator } = its
  return seeded(c.raw(32), () =>
    scoped(keep => {
      const drop = c.u32()
      const [factor, factorScale] = readPlain(c, its, keep)
      const [addend] = readPlain(c, its, keep)
      const onto = c.raw(c.u32())
      const request = load(its, c.rest(), keep)
      if (request.size !== 2) throw new Error('a request of other than two polynomials')
      const sum = keep(encryptor.encryptZero())
      if (its.ckks) sum.setScale(request.scale * factorScale)
      if (factor !== null) {
        evaluator.multiplyPlain(request, factor, request)
        evaluator.add(sum, request, sum)
      }
      if (addend !== null) evaluator.addPlain(sum, addend, sum)
      if (onto.length > 0) {
        // a ciphertext of these words and c1 = 0: its prefix is that of any other
        its.prefix ??= sum.saveArray(NONE).slice(0, -2 * onto.length)
        const raw = new Uint8Array(its.prefix.length + 2 * onto.length)
        raw.set(its.prefix)
        raw.set(onto, its.prefix.length)
        evaluator.add(sum, load(its, raw, keep), sum)
      }
      for (let k = 0; k < drop; ++k)
        its.ckks ? evaluator.rescaleToNext(sum, sum) : evaluator.cipherModSwitchToNext(sum, sum)
      return sum.saveArray(NONE)
    })
  )
}

function decrypt(c) {
  const { its, decryptor } = keys.get(c.u32())
  const kind = c.u8()
  return scoped(keep => {
    let sum = null
    while (c.left > 0) {
      const next = load(its, c.raw(c.u32()), keep)
      if (sum === null) sum = next
      else its.evaluator.add(sum, next, sum)
    }
    const plain = keep(seal.PlainText())
    decryptor.decrypt(sum, plain)
    if (kind === 2) return new Uint8Array(its.reals.decode(plain).slice().buffer)
    if (kind === 1) return new Uint8Array(its.slots.decodeBigInt(plain, false).slice().buffer)
    const saved = plain.saveArray(NONE)
    const result = new Uint8Array(8 * its.N)
    result.set(saved.subarray(saved.length - 8 * plain.coeffCount))
    return result
  })
}

function budget(c) {
  const { its, decryptor } = keys.get(c.u32())
  return scoped(keep => decryptor.invariantNoiseBudget(load(its, c.rest(), keep)))
}

function expand(c) {
  const { its } = keys.get(c.u32())
  return scoped(keep => load(its, c.rest(), keep).saveArray(NONE))
}

function free(c) {
  const number = c.u32()
  const { secret, encryptor, decryptor } = keys.get(number)
  for (const thing of [encryptor, decryptor, secret]) thing?.delete()
  keys.delete(number)
}

const u32 = value => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value >>> 0, true)
  return bytes
}

function answer(operation, payload) {
  const c = new Cursor(payload)
  switch (operation) {
    case op.HELLO: return [Buffer.from(`node-seal ${require('node-seal/package.json').version} (SEAL ${sealVersion}, Node ${process.versions.node})`)]
    case op.CONTEXT: return [u32(seeded(Buffer.alloc(32), () => makeContext(c)))] // SEAL tests primes at random
    case op.KEYGEN: { const [key, shared] = keygen(c); return [u32(key), shared] }
    case op.OPEN: return [u32(open(c))]
    case op.ENCRYPT: return [encrypt(c)]
    case op.RESPOND: return [respond(c)]
    case op.DECRYPT: return [decrypt(c)]
    case op.BUDGET: return [u32(budget(c))]
    case op.EXPAND: return [expand(c)]
    case op.FREE: free(c); return []
    default: throw new Error(`no operation ${operation}`)
  }
}

function readExactly(size) {
  const buffer = Buffer.allocUnsafe(size)
  for (let at = 0; at < size; ) {
    const got = fs.readSync(0, buffer, at, size - at, null)
    if (got === 0) process.exit(0) // whom we work for is gone
    at += got
  }
  return buffer
}

function writeFrame(operation, id, parts) {
  const size = 5 + parts.reduce((sum, part) => sum + part.length, 0)
  const frame = Buffer.allocUnsafe(4 + size)
  frame.writeUInt32LE(size, 0)
  frame.writeUInt8(operation, 4)
  frame.writeUInt32LE(id, 5)
  let at = 9
  for (const part of parts) {
    frame.set(part, at)
    at += part.length
  }
  for (let sent = 0; sent < frame.length; ) sent += fs.writeSync(1, frame, sent)
}

for (;;) {
  const frame = readExactly(readExactly(4).readUInt32LE(0))
  const operation = frame.readUInt8(0)
  const id = frame.readUInt32LE(1)
  try {
    writeFrame(operation, id, answer(operation, frame.subarray(5)))
  } catch (error) {
    if (error.code === 'EPIPE') process.exit(0)
    if (/OOM|out of memory|enlarge memory/i.test(String(error))) throw error // nothing that it holds can be trusted
    writeFrame(op.ERROR, id, [Buffer.from(String(error?.message ?? error))])
  }
}
