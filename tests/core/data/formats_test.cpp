// SPDX-License-Identifier: MIT
// Data files of every format, scalings, sparse against dense.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "core/data/scaling.h"
#include "core/data/sparse_builder.h"
#include "core/factorization/hals.h"
#include "tests/support/data_fuzz.h"
#include "tests/support/repetitions.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

Matrix matrix(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix m(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index r = 0;
  for (const auto& row : rows) {
    Index c = 0;
    for (const double v : row) m(r, c++) = v;
    ++r;
  }
  return m;
}

/// Samples as they lie in a file: a row each.
Matrix rows_of(const DataFile& file, const ReadSettings& settings = {}) {
  return dense(load(file, settings).samples).transpose();
}

SparseMatrix random_sparse(Index rows, Index cols, RandomStream& random) {
  SparseBuilder b(rows, cols, 0);
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r)
      if (random.uniform() < 0.2) b.add(r, c, 1 + std::floor(5 * random.uniform()));
  return b.take([](Index, Index) {});
}

}  // namespace

TEST_CASE("npy: types, byte orders, both orders, pictures") {
  const Matrix expected = matrix({{1, 2, 3}, {4, 5, 6}});
  CHECK(rows_of({"a.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6}))}) == expected);
  CHECK(rows_of({"a.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6}))}) == expected);
  CHECK(rows_of({"a.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 4, 2, 5, 3, 6}), true)}) == expected);
  CHECK(rows_of({"a.npy", npy("|u1", "(2, 3)", std::string("\1\2\3\4\5\6"))}) == expected);
  CHECK(rows_of({"a.npy", npy(">i2", "(2, 3)", std::string("\0\1\0\2\0\3\0\4\0\5\0\6", 12))}) == expected);
  CHECK(rows_of({"a.npy", npy("<i8", "(2, 3)", bytes_of<std::int64_t>({1, 2, 3, 4, 5, 6}))}) == expected);
  CHECK(rows_of({"a.npy", npy("<i4", "(1, 2)", bytes_of<std::int32_t>({-1, 7}))}) == matrix({{-1, 7}}));
  CHECK(rows_of({"a.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6}))}, {true, {}}) ==
        expected.transpose());
  const FileData pictures = load({"p.npy", npy("|u1", "(1, 2, 3)", "abcdef")});
  CHECK(pictures.image == ImageShape{3, 2});
  CHECK(pictures.samples.rows() == 6);
}

TEST_CASE("npy: what is wrong is said") {
  CHECK(
      contains(refusal({"a.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 2}))}), "a.npy: ends too early"));
  CHECK(contains(refusal({"a.npy", npy("<f8", "(200, 3)", bytes_of<double>({1, 2}))}),
                 "a.npy: promises 600 numbers"));
  CHECK(contains(refusal({"a.npy", npy("<f8", "(99999999, 99999999)", "")}),
                 "a.npy: promises 99999999 x 99999999"));
  CHECK(contains(refusal({"a.npy", npy("<f8", "(1, 2)", bytes_of<double>({1, NAN}))}),
                 "number 2 is not finite"));
  CHECK(contains(refusal({"a.npy", npy("<c16", "(1, 1)", std::string(16, 'x'))}), "type '<c16'"));
  CHECK(contains(refusal({"a.npy", npy("<f8", "(4,)", std::string(32, '\0'))}),
                 "1 dimensions: samples and features are two"));
  CHECK(contains(refusal({"a.npy", npy("|u1", "(1, 1)", "ab")}), "bytes after its last number"));
  CHECK(contains(refusal({"a.npy", std::string("\x93NUMPY\x09\x00", 8)}), "version 9"));
  CHECK(contains(refusal({"a.npy", npy("|O", "(1, 1)", "x")}), "type '|O'"));
  CHECK(contains(refusal({"a.npy", "1,2\n3,4\n"}), "a.npy: does not begin as a NumPy file does"));
  CHECK(
      contains(refusal({"a.npz", "PK\3\4"}), "a.npz: is an archive (.npz?): save one array with numpy.save"));
  CHECK(contains(refusal({"a.bin", std::string("1,2\n\0\0", 6)}),
                 "a.bin: is neither text nor a format that can be read"));
}

TEST_CASE("csv: separators, names, comments, line ends") {
  const Matrix expected = matrix({{1, 2.5}, {3, -4}});
  for (const char* text :
       {"1,2.5\n3,-4\n", "1;2.5\r\n3;-4", "1\t2.5\n3\t-4\n", "# c\n\n 1  2.5 \n3 -4\n\n",
        "\"x\",\"y\"\n1,2.5\n3,-4\n", "a b\n1 2.5\n3 -4\n", "\xEF\xBB\xBF+1,2.50\n3e0,-4\n"})
    CHECK_MESSAGE(rows_of({"a.csv", text}) == expected, text);
  CHECK(load({"a.csv", "x,y z\n1,2\n"}).names == std::vector<std::string>{"x", "y z"});
  CHECK(contains(refusal({"a.csv", "1,2\n3\n"}), "a.csv:2:1: has 1 fields, but 2 were expected"));
  CHECK(contains(refusal({"a.csv", "1,2\n3,nan\n"}), "a.csv:2:3: field 2 is 'nan', not a finite number"));
  CHECK(contains(refusal({"a.csv", "1,2\n3,\n"}), "field 2 is empty"));
  CHECK(contains(refusal({"a.csv", "1,2\n3,four\n"}), "'four'"));
  CHECK(contains(refusal({"a.csv", "x,y\n"}), "has no data"));
  CHECK(contains(refusal({"a.csv", ""}), "a.csv: is empty"));
  // names only where no field is a number: a row of data is never taken for them
  CHECK(contains(refusal({"a.csv", "NA,2\n3,4\n"}), "a.csv:1:1: field 1 is 'NA', not a finite number"));
  CHECK(contains(refusal({"a.csv", "1e400,2\n3,4\n"}), "a.csv:1:1: field 1 is '1e400'"));
  CHECK(contains(refusal({"a.csv", "+-1,2\n"}), "'+-1'"));
  CHECK(load({"a.csv", ",a,b\n0,1,2\n"}).names == std::vector<std::string>{"", "a", "b"});
  CHECK(load({"a.csv", "\"a, x\",b\n1,2\n"}).names == std::vector<std::string>{"a, x", "b"});
  CHECK(contains(refusal({"a.csv", "1,\"2\n3,4\n"}), "a.csv:1:3: a quoted field does not end on its line"));
  CHECK(contains(refusal({"a.csv", "1,5;2,5\n3,5;4,5\n"}), "a.csv:2:1: field 1 is '3,5'"));
  CHECK(contains(refusal({"a.tsv", "\t1\t2\n\t3\t4\n"}), "a.tsv:1:1: field 1 is empty"));
  CHECK(rows_of({"a.csv", "\xEF\xBB\xBF# c\n1,2\n"}) == matrix({{1, 2}}));
  CHECK(contains(refusal({"a.csv", "1,\x1b[0m\n"}), "field 2 is '\\x1b[0m'"));
}

TEST_CASE("matrix market: coordinate and array, symmetric, pattern, either way round") {
  const DataFile a{"a.mtx",
                   "%%MatrixMarket matrix coordinate real general\n% c\n2 3 3\n2 1 2.5\n1 3 1\n1 1 7\n"};
  CHECK(rows_of(a) == matrix({{7, 0, 1}, {2.5, 0, 0}}));
  CHECK(load(a).samples.sparse());
  CHECK(rows_of(a, {true, {}}) == matrix({{7, 2.5}, {0, 0}, {1, 0}}));
  CHECK(rows_of({"a.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"}) ==
        matrix({{1, 3, 5}, {2, 4, 6}}));
  CHECK(rows_of({"a.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 4\n"}) ==
        matrix({{3, 4}, {4, 0}}));
  CHECK(rows_of({"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n"}) ==
        matrix({{0, 0}, {1, 0}}));
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  CHECK(contains(refusal({"a.mtx", head + "2 2 2\n1 1 1\n1 1 2\n"}),
                 "a.mtx: has the entry in row 1, column 1 twice"));
  CHECK(
      contains(refusal({"a.mtx", head + "2 2 2\n1 1 1\n"}), "a.mtx:4:1: the file ends after 1 of 2 entries"));
  CHECK(contains(refusal({"a.mtx", head + "2 2 1\n3 1 1\n"}),
                 "a.mtx:3:1: the row must be a whole number up to 2"));
  CHECK(contains(refusal({"a.mtx", head + "2 2 1\n0 1 1\n"}), "numbered from 1"));
  CHECK(contains(refusal({"a.mtx", head + "2 2 1\n1 1 nan\n"}),
                 "a.mtx:3:5: the value must be a finite number"));
  CHECK(contains(refusal({"a.mtx", head + "2 2 1\n1 1 1\n2 2 2\n"}),
                 "more in this file than its header promises"));
  CHECK(contains(refusal({"a.mtx", head + "2000000000 2 1\n1 1 1\n"}), "promises 2000000000 x 2"));
  CHECK(rows_of({"a.mtx", "%%matrixmarket matrix array real symmetric\n2 2\n1\n2\n3\n"}) ==
        matrix({{1, 2}, {2, 3}}));
  CHECK(rows_of({"a.mtx", "%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n"}) ==
        matrix({{0, -2}, {2, 0}}));
  CHECK(rows_of({"a.mtx", "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 4\n"}) ==
        matrix({{4}}));
  CHECK(contains(refusal({"a.mtx", head + "2 2 2\n1 1 0\n1 1 2\n"}),
                 "row 1, column 1 twice"));  // a zero counts
  CHECK(contains(refusal({"a.mtx", "3 3 2\n1 1 5\n2 2 6\n"}),
                 "a.mtx: does not begin as a Matrix Market file does"));
  CHECK(contains(refusal({"a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 0\n"}),
                 "'complex' cannot be read"));
}

TEST_CASE("MovieLens: users are samples, items features, in both of its forms") {
  const Matrix expected = rows_of({"a.csv", "3,0,1\n0,0,5\n"});
  CHECK(rows_of({"u.data", movielens_text}) == expected);
  CHECK(rows_of({"ratings.dat", "2::3::5::881250949\n1::1::3::891717742\n1::3::1::878887116\n"}) == expected);
  CHECK(rows_of({"any.name", "2::3::5::1\n1::1::3::1\n1::3::1::1\n"}) == expected);  // known by its colons
  CHECK(load({"u.data", movielens_text}).samples.sparse());
  CHECK(load({"u.data", movielens_text}).samples.stored() == 3);
  CHECK(contains(refusal({"u.data", "1\t1\t3\t9\n1\t1\t4\t9\n"}), "u.data: user 1 rates item 1 twice"));
  CHECK(contains(refusal({"u.data", "0\t1\t3\t9\n"}), "numbered from 1"));
  CHECK(contains(refusal({"u.data", "1\t1\t0\t9\n"}), "a rating must be above 0"));
  CHECK(contains(refusal({"u.data", "1\t1\t-2\t9\n"}), "a rating must be above 0"));
  CHECK(contains(refusal({"u.data", "1\t1\t3\n"}), "u.data:1"));
  CHECK(contains(refusal({"ratings.dat", "1::1::x::9\n"}), "ratings.dat:1"));
  CHECK(contains(refusal({"ratings.dat", "1::1\n"}), "ratings.dat:1"));
  CHECK(contains(refusal({"ratings.dat", "1::1::3::9\n7::99999999::3::9\n"}), "x"));
}

TEST_CASE("docword: entries in any order, with an empty document, packed or not") {
  const Matrix expected = matrix({{2, 0, 0, 0, 1}, {0, 0, 7, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 0, 10, 0}});
  CHECK(rows_of({"docword.x.txt", docword_text}) == expected);
  CHECK(rows_of({"bag.txt", docword_text}) == expected);  // known by its shape
  CHECK(rows_of({"docword.x.txt.gz", gzip(docword_text)}) == expected);
  CHECK(rows_of({"docword.x.txt", "4\n5\n6\n4 4 10\n4 2 1\n1 5 1\n2 3 7\n1 1 2\n4 1 1\n"}) == expected);
  CHECK(
      contains(refusal({"docword.x", "2\n2\n2\n1 1 1\n1 1 2\n"}), "docword.x: has document 1, word 1 twice"));
  CHECK(contains(refusal({"docword.x", "2\n2\n3\n1 1 1\n1 2 1\n"}),
                 "docword.x:6:1: the file ends after 2 of 3 entries"));
  CHECK(contains(refusal({"docword.x", "2\n2\n1\n1 3 1\n"}),
                 "docword.x:4:3: the word's number must be a whole number up to 2"));
  CHECK(contains(refusal({"docword.x", "2\n2\n1\n1 1 -1\n"}), "the count must be a whole number"));
  CHECK(contains(refusal({"docword.x", "2\n2\n2000000000\n1 1 1\n"}), "promises 2000000000 entries"));
  CHECK(contains(refusal({"docword.x", "2000000000\n2\n1\n1 1 1\n"}), "promises 2000000000 x 2"));
}

TEST_CASE("gzip: truncated and damaged data are errors, several members are one file") {
  CHECK(rows_of({"a.csv.gz", gzip("1,2\n") + gzip("3,4\n")}) == matrix({{1, 2}, {3, 4}}));
  const std::string whole = gzip(docword_text);
  CHECK(contains(refusal({"docword.gz", whole.substr(0, whole.size() - 9)}),
                 "docword.gz: ends in the middle of its gzip data"));
  std::string damaged = whole;
  damaged[whole.size() - 6] = static_cast<char>(damaged[whole.size() - 6] ^ 1);  // its checksum
  CHECK(contains(refusal({"docword.gz", damaged}), "docword.gz: is damaged gzip data"));
}

TEST_CASE("gzip: a small file that unpacks to a huge one is refused before it fills the memory") {
  const std::string bomb = gzip("%%MatrixMarket matrix array real general\n30000 60000\n" +
                                std::string(std::size_t{1} << 24, ' '));
  CHECK(bomb.size() < 40'000);
  const MemoryLimit limit(rlim_t{128} << 20);
  CHECK(contains(refusal({"bomb.mtx.gz", bomb}), "bomb.mtx.gz"));
}

TEST_CASE("data reader: nothing is taken that is not there") {
  const std::string text = "abc";
  MemorySource source(text);
  DataReader in(source, "x");
  in.skip(2);
  CHECK(in.peek(10) == "c");
  CHECK_THROWS_WITH_AS(in.skip(2), "x: ends too early", ScenarioError);
  char two[2];
  CHECK_THROWS_WITH_AS(in.take(two, 2), "x: ends too early", ScenarioError);
}

TEST_CASE("pgm: pictures in a strip, bytes, words and text") {
  const Matrix two = matrix({{97, 98, 101, 102}, {99, 100, 103, 104}});
  CHECK(rows_of({"a.pgm", "P5\n# strip\n4 2\n255\nabcdefgh"}) == two);  // squares side by side
  CHECK(rows_of({"a.pgm", "P5 4 2 255\nabcdefgh"}, {false, {4, 1}}) ==
        matrix({{97, 98, 99, 100}, {101, 102, 103, 104}}));
  CHECK(rows_of({"a.pgm", std::string("P5 1 1 1000\n\1\2", 14)}) == matrix({{258}}));
  CHECK(rows_of({"a.pgm", "P2 # two\n2 2 9\n1 2\n3 9\n"}) == matrix({{1, 2, 3, 9}}));
  CHECK(contains(refusal({"a.pgm", "P5 3 2 255\nabcdef"}),
                 "a.pgm: is 3 x 2 pixels, which 2 x 2 do not divide: set data.image"));
  CHECK(contains(refusal({"a.pgm", "P5 2 2 255\nabc"}), "a.pgm: ends too early"));
  CHECK(
      contains(refusal({"a.pgm", "P5 2 2 255"}), "a.pgm: ends too early"));  // a header and nothing behind it
  CHECK(contains(refusal({"a.pgm", "P5 2 2 255\nabcd "}), "a.pgm: has bytes after its last pixel"));
  CHECK(contains(refusal({"a.pgm", "P6 2 2 255\nabcd"}), "a.pgm: does not begin as a PGM file does"));
  CHECK(rows_of({"a.pgm", "P5 2 2 255\n# \n "}) == matrix({{35, 32, 10, 32}}));
  CHECK(contains(refusal({"a.pgm", "P5 2 2 98\nabcd"}), "pixel 3 is 99, above the maximum 98"));
  CHECK(contains(refusal({"a.pgm", "P5 900000 900000 255\nabcd"}), "a.pgm: promises"));
}

TEST_CASE("idx: MNIST's pictures, and labels refused") {
  const FileData data =
      load({"t10k-images-idx3-ubyte", std::string("\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\1abcd", 20)});
  CHECK(data.image == ImageShape{1, 2});
  CHECK(dense(data.samples).transpose() == matrix({{97, 98}, {99, 100}}));
  CHECK(contains(refusal({"l", std::string("\0\0\x08\1\0\0\0\2ab", 10)}), "these are labels, not samples"));
  CHECK(contains(refusal({"l", std::string("\0\0\x08\2\x7f\xff\xff\xff\0\0\0\1ab", 14)}),
                 "l: promises 2147483647 "));
}

TEST_CASE("data: every format of the table knows its own files, and no other format comes before it") {
  std::set<std::string_view> met;
  for (const auto& seeds : files_by_format())
    for (const DataFile& file : seeds) {
      MemorySource source(file.bytes);
      DataReader in(source, file.name);  // unpacks
      const auto formats = data_formats();
      met.insert(std::find_if(formats.begin(), formats.end(), [&](const DataFormat& f) {
                   return f.recognizes(in.peek(DataReader::longest_word), file.name);
                 })->name);
    }
  CHECK(met.size() == data_formats().size());
}

TEST_CASE("data: 2,000 mutated files of each format load or are refused by name, in bounded memory") {
  for (const auto& seeds : files_by_format()) {
    CAPTURE(seeds.front().name);
    for (const DataFile& f : seeds) CHECK_MESSAGE(refusal(f) == "loaded", f.name);
    const int inputs = repetitions(2000, 200);
    const FuzzCount count = fuzz_format(seeds, inputs, 7);
    CHECK(count.loaded > 0);
    CHECK(count.refused > inputs / 2);
  }
}

TEST_CASE("samples: sparse and dense answer the same") {
  RandomStream random({5, 0, 0, "t"});
  const SparseMatrix m = random_sparse(20, 30, random);
  const Samples thin = m;
  const Samples thick = Matrix(m);
  CHECK(thin.sparse());
  CHECK_FALSE(thick.sparse());
  const Matrix X = Matrix::Random(20, 4).cwiseAbs();
  const Matrix Y = Matrix::Random(4, 10).cwiseAbs();
  for (const Index first : {0, 7, 20}) {
    const Samples a = thin.columns(first, 10);
    const Samples b = thick.columns(first, 10);
    CHECK(dense(a) == dense(b));
    CHECK(a.column(3) == b.column(3));
    CHECK((a.times_transposed(Y) - b.times_transposed(Y)).norm() < 1e-12);
    CHECK((a.transposed_times(X) - b.transposed_times(X)).norm() < 1e-12);
    CHECK(a.squared_norm() == doctest::Approx(b.squared_norm()));
    CHECK(a.mean_abs() == doctest::Approx(b.mean_abs()));
    CHECK(a.residual(X, Y) == doctest::Approx(b.residual(X, Y)).epsilon(1e-12));
    CHECK(a.stored() < b.stored());
    const std::vector<Index> which{9, 0, 4, 4};
    CHECK(dense(a.gather(which)) == dense(b.gather(which)));
    CHECK(a.gather(which).sparse());
    CHECK(a.columns(2, 3).column(1) == b.column(3));
  }
}

TEST_CASE("scaling: unit-max, Lee and Seung's, tf-idf") {
  const Matrix m = matrix({{2, 0}, {4, 0}, {0, 8}});
  CHECK(dense(scaled(m, Scale::unit_max)) == m / 8);
  CHECK(scaled(Samples(SparseMatrix(m.sparseView())), Scale::unit_max).sparse());
  RandomStream random({6, 0, 0, "t"});
  Matrix faces(361, 5);
  for (double& x : faces.reshaped()) x = 255 * random.uniform();
  faces.col(4).setConstant(0.1);  // whose mean, rounded, is not 0.1
  const Matrix seen = dense(scaled(faces, Scale::lee_seung));
  CHECK(seen.minCoeff() >= 0);
  CHECK(seen.maxCoeff() <= 1);
  CHECK(seen.col(4) == Vector::Constant(361, 0.25));
  // before clipping at 0: where nothing is clipped, mean and deviation are 1/4
  const Matrix wide = dense(scaled(matrix({{0}, {1}, {1}, {0}}), Scale::lee_seung));
  CHECK(wide == matrix({{0}, {0.5}, {0.5}, {0}}));
  const Matrix counts = matrix({{3, 0, 1}, {0, 2, 1}, {1, 1, 1}});
  const Vector weights = word_weights(counts);
  const Matrix weighted = dense(tf_idf(counts, weights));
  const double rare = std::log(4.0 / 3) + 1;  // words 1 and 2 are in two samples of three, word 3 in all
  CHECK(weighted(0, 0) == doctest::Approx(3 * rare / std::sqrt(9 * rare * rare + 1)));
  CHECK(weighted.colwise().norm().minCoeff() == doctest::Approx(1));
  const Samples thin = SparseMatrix(counts.sparseView());
  CHECK(word_weights(thin) == weights);
  CHECK(tf_idf(thin, weights).sparse());
  CHECK(dense(tf_idf(thin, weights)).isApprox(weighted));
  CHECK(dense(scaled(counts, Scale::tf_idf)) == counts);  // not before training samples are known
}

TEST_CASE("tf-idf: a word of no sample has the largest weight; parties' own counts") {
  const Matrix counts = matrix({{1, 1, 0, 2, 1}, {0, 3, 1, 0, 0}, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 1}});
  const Vector weights = word_weights(counts);
  CHECK(weights[2] == doctest::Approx(std::log(6.0) + 1));
  CHECK(weights.maxCoeff() == weights[2]);
  CHECK(dense(tf_idf(matrix({{0}, {0}, {5}, {0}}), weights)) == matrix({{0}, {0}, {1}, {0}}));
  const std::vector<Index> sizes{2, 1, 2};
  for (const Samples& all : {Samples(counts), Samples(SparseMatrix(counts.sparseView()))}) {
    const Samples own = own_tf_idf(all, sizes);
    CHECK(own.sparse() == all.sparse());
    Index at = 0;
    for (const Index size : sizes) {
      const Samples part = all.columns(at, size);
      CHECK(dense(own.columns(at, size)) == dense(tf_idf(part, word_weights(part))));
      at += size;
    }
    CHECK(dense(own) != dense(tf_idf(all, weights)));
  }
}
