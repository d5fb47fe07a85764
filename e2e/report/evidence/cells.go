// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/report/picture"
)

// hues is the number of colours for users of pools in the style sheet.
const hues = 8

// hue returns the class of the colour of a letter.
func hue(letter string) string {
	if letter == "" {
		return ""
	}
	return fmt.Sprintf("u%d", int(strings.ToLower(letter)[0])%hues)
}

// segment is the part of an amount that a user has. The width is in percent.
type segment struct {
	Letter string
	Width  float64
}

// narrow is the width in percent below which the letter of a segment does not fit into it.
const narrow = 6

// Mark returns the letter, if it fits.
func (s segment) Mark() string {
	if s.Width < narrow {
		return ""
	}
	return s.Letter
}

// segments returns the parts of an amount. If more is in use than exists, they
// are shortened to fit.
func segments(c picture.Cell) []segment {
	sum := 0.0
	for _, u := range c.Users {
		sum += u.Part
	}
	var all []segment
	for _, u := range c.Users {
		all = append(all, segment{u.Letter, percent(u.Part, max(sum, 1))})
	}
	return all
}
