// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package webpage

import (
	"math"
	"strconv"
	"strings"
)

// Contrast returns the contrast of two colours as WCAG defines it, each #rgb or
// #rrggbb: from 1 to 21. It is not a number if one of them is neither.
func Contrast(a, b string) float64 {
	one, other := luminance(a), luminance(b)
	return (max(one, other) + 0.05) / (min(one, other) + 0.05)
}

// luminance returns the relative luminance of a colour, from 0 to 1.
func luminance(colour string) float64 {
	digits := strings.TrimPrefix(colour, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	value, err := strconv.ParseUint(digits, 16, 32)
	if len(digits) != 6 || err != nil {
		return math.NaN()
	}
	linear := func(shift int) float64 {
		c := float64(value>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}
