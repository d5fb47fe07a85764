// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package page

import (
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/internal/webpage"
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
						g.Expect(webpage.Contrast(palette[front], palette[back])).To(BeNumerically(">=", atLeast), "--%s on --%s", front, back)
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
