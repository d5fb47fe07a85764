// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package requirements_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/requirements"
)

// Of two documents, an id belongs to the one whose KEP is longer.
func TestKEP(t *testing.T) {
	for id, want := range map[string]string{
		"4815-fields-kept":       "4815",
		"4815-draft-fields-kept": "4815-draft",
		"4815-drafts":            "4815",
		"4815-draft":             "4815",
		"48150-a":                "",
	} {
		NewWithT(t).Expect(requirements.Requirement{ID: id}.KEP()).To(Equal(want), id)
	}
}

func TestObservableIn(t *testing.T) {
	for name, test := range map[string]struct {
		from, until string
		releases    string
		in, notIn   []string
	}{
		"from one on":    {from: "1.35", releases: "1.35+", in: []string{"1.35", "v1.35.0", "1.37.1", "v1.100.2+vendor"}, notIn: []string{"1.34", "v1.34.99", "1.9", "", "new"}},
		"until one":      {from: "1.33", until: "1.34", releases: "1.33-1.34", in: []string{"1.33", "1.34.4"}, notIn: []string{"1.32", "1.35", "1.35.0"}},
		"in one":         {from: "1.36", until: "1.36", releases: "1.36", in: []string{"1.36.3"}, notIn: []string{"1.35", "1.37"}},
		"in none so far": {releases: "none", notIn: []string{"1.34", "1.37", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := requirements.Requirement{From: test.from, Until: test.until}
			g.Expect(r.Releases()).To(Equal(test.releases))
			for _, release := range test.in {
				g.Expect(r.ObservableIn(release)).To(BeTrue(), release)
			}
			for _, release := range test.notIn {
				g.Expect(r.ObservableIn(release)).To(BeFalse(), release)
			}
		})
	}
}
