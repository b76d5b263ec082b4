// SPDX-License-Identifier: BSD-3-Clause
// <complex> for kernels. Products are those of the formula, also for infinite values; quotients
// follow R. L. Smith, so that they neither overflow nor underflow where the result does not.
#pragma once

#include <cmath>
namespace std {
template <class T> class complex {
 public:
  typedef T value_type;
  constexpr complex(const T& re = T(), const T& im = T()) : re_(re), im_(im) {}
  template <class U> explicit(sizeof(U) > sizeof(T)) constexpr complex(const complex<U>& z)
      : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag())) {}
  constexpr T real() const { return re_; }
  constexpr T imag() const { return im_; }
  constexpr void real(T re) { re_ = re; }
  constexpr void imag(T im) { im_ = im; }
  constexpr complex& operator=(const T& x) {
    re_ = x;
    im_ = T();
    return *this;
  }
  constexpr complex& operator+=(const complex& z) { return *this = *this + z; }
  constexpr complex& operator-=(const complex& z) { return *this = *this - z; }
  constexpr complex& operator*=(const complex& z) { return *this = *this * z; }
  constexpr complex& operator/=(const complex& z) { return *this = *this / z; }
  constexpr complex& operator+=(const T& x) { return *this = *this + x; }
  constexpr complex& operator-=(const T& x) { return *this = *this - x; }
  constexpr complex& operator*=(const T& x) { return *this = *this * x; }
  constexpr complex& operator/=(const T& x) { return *this = *this / x; }

  friend constexpr complex operator+(const complex& z) { return z; }
  friend constexpr complex operator-(const complex& z) { return complex(-z.re_, -z.im_); }
  friend constexpr complex operator+(const complex& a, const complex& b) {
    return complex(a.re_ + b.re_, a.im_ + b.im_);
  }
  friend constexpr complex operator-(const complex& a, const complex& b) {
    return complex(a.re_ - b.re_, a.im_ - b.im_);
  }
  friend constexpr complex operator*(const complex& a, const complex& b) {
    return complex(a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_);
  }
  friend constexpr complex operator/(const complex& a, const complex& b) {
    const T re = b.re_ < 0 ? -b.re_ : b.re_, im = b.im_ < 0 ? -b.im_ : b.im_;
    if (re < im) {
      const T ratio = b.re_ / b.im_, size = b.re_ * ratio + b.im_;
      return complex((a.re_ * ratio + a.im_) / size, (a.im_ * ratio - a.re_) / size);
    }
    const T ratio = b.im_ / b.re_, size = b.im_ * ratio + b.re_;
    return complex((a.im_ * ratio + a.re_) / size, (a.im_ - a.re_ * ratio) / size);
  }
  friend constexpr complex operator+(const complex& z, const T& x) { return complex(z.re_ + x, z.im_); }
  friend constexpr complex operator+(const T& x, const complex& z) { return complex(x + z.re_, z.im_); }
  friend constexpr complex operator-(const complex& z, const T& x) { return complex(z.re_ - x, z.im_); }
  friend constexpr complex operator-(const T& x, const complex& z) { return complex(x - z.re_, -z.im_); }
  friend constexpr complex operator*(const complex& z, const T& x) { return complex(z.re_ * x, z.im_ * x); }
  friend constexpr complex operator*(const T& x, const complex& z) { return complex(x * z.re_, x * z.im_); }
  friend constexpr complex operator/(const complex& z, const T& x) { return complex(z.re_ / x, z.im_ / x); }
  friend constexpr complex operator/(const T& x, const complex& z) { return complex(x) / z; }
  friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.re_ == b.re_ && a.im_ == b.im_;
  }
  friend constexpr bool operator==(const complex& z, const T& x) { return z.re_ == x && z.im_ == T(); }

 private:
  T re_, im_;
};

template <class T> constexpr T real(const complex<T>& z) { return z.real(); }
template <class T> constexpr T imag(const complex<T>& z) { return z.imag(); }
template <class T> constexpr T norm(const complex<T>& z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> constexpr complex<T> conj(const complex<T>& z) { return complex<T>(z.real(), -z.imag()); }
template <class T> inline T abs(const complex<T>& z) { return ::hypot(z.real(), z.imag()); }
template <class T> inline T arg(const complex<T>& z) { return ::atan2(z.imag(), z.real()); }
template <class T> inline complex<T> polar(const T& size, const T& angle = T()) {
  return complex<T>(size * ::cos(angle), size * ::sin(angle));
}
template <class T> inline complex<T> exp(const complex<T>& z) {
  const T size = ::exp(z.real());
  return z.imag() == T() ? complex<T>(size, z.imag()) : polar<T>(size, z.imag());
}
template <class T> inline complex<T> log(const complex<T>& z) { return complex<T>(::log(abs(z)), arg(z)); }
template <class T> inline complex<T> log10(const complex<T>& z) {
  return log(z) / T(2.302585092994045684018);
}
template <class T> inline complex<T> sqrt(const complex<T>& z) {
  const T x = z.real(), y = z.imag();
  if (x == T() && y == T()) return complex<T>(T(), y);
  const T part = ::sqrt((abs(z) + (x < 0 ? -x : x)) / 2);
  const T other = (y < 0 ? -y : y) / (2 * part);
  return x < 0 ? complex<T>(other, ::copysign(part, y)) : complex<T>(part, ::copysign(other, y));
}
template <class T> inline complex<T> pow(const complex<T>& z, const complex<T>& power) {
  return z == T() ? complex<T>(power == T() ? T(1) : T()) : exp(power * log(z));
}
template <class T> inline complex<T> pow(const complex<T>& z, const T& power) {
  if (z == T()) return complex<T>(::pow(T(), power));
  return polar<T>(::pow(abs(z), power), power * arg(z));
}
template <class T> inline complex<T> pow(const complex<T>& z, int power) {
  return pow(z, static_cast<T>(power));
}
template <class T> inline complex<T> pow(const T& x, const complex<T>& power) {
  return pow(complex<T>(x), power);
}
template <class T> inline complex<T> sinh(const complex<T>& z) {
  return complex<T>(::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag()));
}
template <class T> inline complex<T> cosh(const complex<T>& z) {
  return complex<T>(::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag()));
}
template <class T> inline complex<T> tanh(const complex<T>& z) {
  const T x = z.real(), y = z.imag(), size = x < 0 ? -x : x;
  if (!(size > 20)) return sinh(z) / cosh(z);
  return complex<T>(::copysign(T(1), x), 4 * ::sin(y) * ::cos(y) * ::exp(-2 * size));
}
template <class T> inline complex<T> sin(const complex<T>& z) {
  return complex<T>(::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag()));
}
template <class T> inline complex<T> cos(const complex<T>& z) {
  return complex<T>(::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag()));
}
template <class T> inline complex<T> tan(const complex<T>& z) {
  const complex<T> turned = tanh(complex<T>(-z.imag(), z.real()));
  return complex<T>(turned.imag(), -turned.real());
}
}  // namespace std
