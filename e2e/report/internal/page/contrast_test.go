// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package page

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// pairs are the colours of texts and of the backgrounds that they are on.
var pairs = map[string][]string{
	"ink":  {"page", "panel", "good-back", "bad-back", "open-back", "none-back", "u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"},
	"soft": {"page", "panel"},
	"link": {"page"},
	"good": {"good-back"}, "bad": {"bad-back", "page"}, "open": {"open-back"}, "none": {"none-back"},
}

// shapes are the colours of bars, lines and borders that carry meaning, and of
// what is next to them.
var shapes = map[string][]string{
	"good": {"panel", "page"}, "bad": {"panel", "page"}, "open": {"panel", "page"}, "none": {"panel", "page"}, "soft": {"page", "panel"}, "link": {"page", "panel"},
}

// The style sheet meets the minimum contrast of WCAG 2.2: 4.5 for texts
// (criterion 1.4.3), and 3 for shapes (criterion 1.4.11).
func TestContrast(t *testing.T) {
	light, dark := palettes(t)
	for name, palette := range map[string]map[string]string{"light": light, "dark": dark} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			used := map[string]bool{"line": true} // It only separates.
			check := func(all map[string][]string, atLeast float64) {
				for front, backs := range all {
					used[front] = true
					for _, back := range backs {
						used[back] = true
						g.Expect(contrast(t, palette[front], palette[back])).To(BeNumerically(">=", atLeast), "--%s on --%s", front, back)
					}
				}
			}
			check(pairs, 4.5)
			check(shapes, 3)
			for name := range palette {
				g.Expect(used).To(HaveKey(name), "the contrast of --%s is not checked", name)
			}
		})
	}
}

// Colours are only in the palettes, so that no other contrast exists.
func TestColoursAreInPalettes(t *testing.T) {
	rest := regexp.MustCompile(`--[a-z0-9-]+: #[0-9a-f]+;`).ReplaceAllString(style, "")
	NewWithT(t).Expect(rest).NotTo(MatchRegexp(`#[0-9a-fA-F]{3}|rgb|hsl`))
}

func TestContrastOfKnownColours(t *testing.T) {
	g := NewWithT(t)
	g.Expect(contrast(t, "#000", "#fff")).To(BeNumerically("~", 21, 0.01))
	g.Expect(contrast(t, "#777777", "#ffffff")).To(BeNumerically("~", 4.48, 0.01), "the grey that is just too light")
}

// palettes returns the colours of the light and of the dark style by name.
func palettes(t *testing.T) (light, dark map[string]string) {
	t.Helper()
	before, after, ok := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	NewWithT(t).Expect(ok).To(BeTrue())
	after, _, _ = strings.Cut(after, "* { box-sizing")
	return colours(before), colours(after)
}

func colours(css string) map[string]string {
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]+);`).FindAllStringSubmatch(css, -1) {
		all[m[1]] = m[2]
	}
	return all
}

// contrast returns the contrast ratio as WCAG defines it.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	digits := strings.TrimPrefix(colour, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	NewWithT(t).Expect(digits).To(HaveLen(6), "colour %q", colour)
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		part := float64(n) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}
