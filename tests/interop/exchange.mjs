// SPDX-License-Identifier: MIT
// The other side of cli/interop.sh: npm's paillier-bigint. Numbers go as decimal strings in JSON.
//   make FILE      a key of its own (g = n + 1), ciphertexts, their sums and multiples
//   answer IN OUT  with a key and ciphertexts of Sotto's: decrypts them, adds, scales, encrypts
import { readFileSync, writeFileSync } from 'node:fs'
import * as paillier from 'paillier-bigint'

const write = (file, value) =>
  writeFileSync(file, JSON.stringify(value, (_, x) => (typeof x === 'bigint' ? x.toString() : x), 1))
const plaintexts = n => [0n, 1n, 42n, n - 1n, n / 2n, 123456789012345678901234567890n % n]

const [command, input, output] = process.argv.slice(2)
if (command === 'make') {
  const { publicKey, privateKey } = await paillier.generateRandomKeys(1024, true)
  const m = plaintexts(publicKey.n)
  const c = m.map(x => publicKey.encrypt(x))
  write(input, {
    n: publicKey.n, g: publicKey.g, p: privateKey._p, q: privateKey._q,
    plaintexts: m, ciphertexts: c,
    sum: publicKey.addition(c[1], c[2], c[4]), scaled: publicKey.multiply(c[5], 1000003n)
  })
} else {
  const theirs = JSON.parse(readFileSync(input))
  const publicKey = new paillier.PublicKey(BigInt(theirs.n), BigInt(theirs.g))
  const privateKey = new paillier.PrivateKey(BigInt(theirs.lambda), BigInt(theirs.mu), publicKey, BigInt(theirs.p), BigInt(theirs.q))
  const c = theirs.ciphertexts.map(BigInt)
  write(output, {
    decrypted: c.map(x => privateKey.decrypt(x)),
    replies: theirs.replies.map(x => privateKey.decrypt(BigInt(x))),
    sum: publicKey.addition(...c),
    scaled: c.map(x => publicKey.multiply(x, 65537n)),
    encrypted: plaintexts(publicKey.n).map(x => publicKey.encrypt(x)),
    plaintexts: plaintexts(publicKey.n)
  })
}
