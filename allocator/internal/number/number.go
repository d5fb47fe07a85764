// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package number implements exact sums and comparisons of resource quantities without memory allocations.
//
// A quantity from the API is a multiple of 10^-9. Nearly every quantity is stored as a 128-bit number of these nano
// units. A number that does not fit (beyond 10^21 or finer than nano) is stored as a resource.Quantity, and so are
// sums with it. This is slower but equally exact.
package number

import (
	"math/big"
	"math/bits"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxBits bounds the numbers that are stored as integers. Sums of 2^26 such numbers still fit 127 bits.
const maxBits = 100

const nanoPerUnit = 1_000_000_000

// N is one exact number. The zero value is zero.
type N struct {
	hi int64
	lo uint64
	q  *resource.Quantity // Set if the number does not fit. It never changes once set.
}

// From converts a quantity. The quantity is not modified.
func From(q resource.Quantity) N {
	if v, ok := q.AsInt64(); ok {
		return fromInt64(v)
	}
	if n, ok := fromDec(q.DeepCopy()); ok {
		return n
	}
	c := q.DeepCopy()
	return N{q: &c}
}

func fromInt64(v int64) N {
	negative := v < 0
	u := uint64(v) //nolint:gosec // Negated below: two's complement on purpose.
	if negative {
		u = -u
	}
	hi, lo := bits.Mul64(u, nanoPerUnit)
	n := N{hi: int64(hi), lo: lo} //nolint:gosec // At most 2^63 * 10^9, hi is below 2^30.
	if negative {
		n = n.neg()
	}
	return n
}

// fromDec expects a copy, because AsDec modifies the quantity.
func fromDec(q resource.Quantity) (N, bool) {
	dec := q.AsDec()
	shift := 9 - int64(dec.Scale())
	v := new(big.Int).Set(dec.UnscaledBig())
	switch {
	case shift > 64 || shift < -64:
		return N{}, v.Sign() == 0
	case shift >= 0:
		v.Mul(v, pow10(shift))
	default:
		var rest big.Int
		if v.QuoRem(v, pow10(-shift), &rest); rest.Sign() != 0 {
			return N{}, false
		}
	}
	if v.BitLen() > maxBits {
		return N{}, false
	}
	negative := v.Sign() < 0
	v.Abs(v)
	n := N{lo: new(big.Int).And(v, new(big.Int).SetUint64(^uint64(0))).Uint64()}
	n.hi = new(big.Int).Rsh(v, 64).Int64()
	if negative {
		n = n.neg()
	}
	return n, true
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

func (a N) neg() N {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	return N{hi: -a.hi - int64(borrow), lo: lo} //nolint:gosec // borrow is 0 or 1.
}

// Add returns a+b.
func (a N) Add(b N) N {
	if a.q != nil || b.q != nil {
		sum := a.Quantity()
		sum.Add(b.Quantity())
		return From(sum)
	}
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return N{hi: a.hi + b.hi + int64(carry), lo: lo} //nolint:gosec // carry is 0 or 1.
}

// Sub returns a-b.
func (a N) Sub(b N) N {
	if a.q != nil || b.q != nil {
		difference := a.Quantity()
		difference.Sub(b.Quantity())
		return From(difference)
	}
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return N{hi: a.hi - b.hi - int64(borrow), lo: lo} //nolint:gosec // borrow is 0 or 1.
}

// Sign returns -1, 0 or 1.
func (a N) Sign() int {
	switch {
	case a.q != nil:
		return a.q.Sign()
	case a.hi < 0:
		return -1
	case a.hi == 0 && a.lo == 0:
		return 0
	default:
		return 1
	}
}

// Cmp returns -1 if a < b, 0 if they are equal, 1 if a > b.
func (a N) Cmp(b N) int {
	if a.q == nil && b.q == nil {
		switch {
		case a.hi < b.hi || a.hi == b.hi && a.lo < b.lo:
			return -1
		case a.hi == b.hi && a.lo == b.lo:
			return 0
		default:
			return 1
		}
	}
	x := a.Quantity()
	return x.Cmp(b.Quantity())
}

// Quantity returns the number as a new quantity in decimal format.
func (a N) Quantity() resource.Quantity {
	if a.q != nil {
		return a.q.DeepCopy()
	}
	abs := a
	if a.hi < 0 {
		abs = a.neg()
	}
	v := new(big.Int).Lsh(big.NewInt(abs.hi), 64)
	v.Or(v, new(big.Int).SetUint64(abs.lo))
	if a.hi < 0 {
		v.Neg(v)
	}
	var q resource.Quantity
	q.Format = resource.DecimalSI
	dec := q.AsDec()
	dec.SetUnscaledBig(v)
	dec.SetScale(9)
	return q
}

// AppendKey appends an encoding that is equal for equal numbers and different for different numbers.
func (a N) AppendKey(key []byte) []byte {
	if a.q != nil {
		c := a.q.DeepCopy()
		decimal := resource.NewDecimalQuantity(*c.AsDec(), resource.DecimalExponent) // The format does not affect the value.
		return append(append(append(key, 1), decimal.String()...), 0)
	}
	key = append(key, 0)
	for i := 0; i < 64; i += 8 {
		key = append(key, byte(a.hi>>i), byte(a.lo>>i)) //nolint:gosec // One byte at a time.
	}
	return key
}
