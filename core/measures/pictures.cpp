// SPDX-License-Identifier: MIT
#include "core/measures/pictures.h"

#include <png.h>

#include <algorithm>
#include <cmath>

#include "core/factorization/hals.h"
#include "core/measures/factor_errors.h"

namespace sotto {

namespace {

constexpr Index zoom = 3;
constexpr Index gap = 2;
constexpr Index tiles_a_row = 10;
constexpr int pictures_fit_sweeps = 600;

/// Equal pictures side by side, on gray.
class Sheet {
 public:
  Sheet(const ImageShape& tile, Index across, Index down)
      : tile_(tile),
        width_(across * (zoom * tile.width + gap) + gap),
        height_(down * (zoom * tile.height + gap) + gap),
        pixels_(static_cast<std::size_t>(width_ * height_), 128) {}

  /// Black is 0, white is `white`.
  void draw(Index column, Index row, const Vector& picture, double white) {
    const Index left = gap + column * (zoom * tile_.width + gap);
    const Index top = gap + row * (zoom * tile_.height + gap);
    for (Index y = 0; y < zoom * tile_.height; ++y)
      for (Index x = 0; x < zoom * tile_.width; ++x) {
        double value = white > 0 ? picture[(y / zoom) * tile_.width + x / zoom] / white : 0;
        if (!(value >= 0)) value = 0;  // or not a number
        pixels_[static_cast<std::size_t>((top + y) * width_ + left + x)] =
            static_cast<std::uint8_t>(std::nearbyint(255 * std::min(value, 1.0)));
      }
  }

  std::string png() const {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_GRAY;
    png_alloc_size_t size = 0;
    if (png_image_write_get_memory_size(image, size, 0, pixels_.data(), 0, nullptr) == 0)
      throw RunError(std::string("a picture cannot be made: ") + image.message);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(), 0, nullptr) == 0)
      throw RunError(std::string("a picture cannot be made: ") + image.message);
    bytes.resize(size);
    return bytes;
  }

 private:
  ImageShape tile_;
  Index width_, height_;
  std::vector<std::uint8_t> pixels_;
};

std::string images_sheet(const Dataset& data, const Matrix& X, const std::vector<std::int64_t>& numbers) {
  const auto count = static_cast<Index>(numbers.size());
  Sheet sheet(data.image, std::min(count, tiles_a_row), 2 * ((count + tiles_a_row - 1) / tiles_a_row));
  for (Index k = 0; k < count; ++k) {
    const Samples sample(Matrix(data.samples.column(numbers[static_cast<std::size_t>(k)] - 1)));
    Matrix y = right_factor_start(sample, X);
    hals_right(sample, X, y, pictures_fit_sweeps);
    const Vector original = sample.column(0);
    const double white = original.maxCoeff();
    sheet.draw(k % tiles_a_row, 2 * (k / tiles_a_row), original, white);
    sheet.draw(k % tiles_a_row, 2 * (k / tiles_a_row) + 1, X * y, white);
  }
  return sheet.png();
}

std::string basis_sheet(const ImageShape& tile, const Matrix& X) {
  const auto across = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(X.cols()))));
  Sheet sheet(tile, across, (X.cols() + across - 1) / across);
  for (Index k = 0; k < X.cols(); ++k) sheet.draw(k % across, k / across, X.col(k), X.col(k).maxCoeff());
  return sheet.png();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> contact_sheets(const Dataset& data,
                                                                const std::vector<FactorView>& views,
                                                                const std::vector<std::int64_t>& numbers,
                                                                const std::string& method) {
  const Matrix X = mean_left_factor(views);
  return {{"images-" + method + ".png", images_sheet(data, X, numbers)},
          {"basis-" + method + ".png", basis_sheet(data.image, X)}};
}

}  // namespace sotto
