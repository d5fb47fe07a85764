// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
)

func TestPathsNameTargetsAndSpecsThatExist(t *testing.T) {
	g := NewWithT(t)
	all, err := readPaths()
	g.Expect(err).NotTo(HaveOccurred())
	makefile, err := os.ReadFile("../../Makefile")
	g.Expect(err).NotTo(HaveOccurred())
	for _, p := range all {
		g.Expect(string(makefile)).To(ContainSubstring("\n"+p.Make[0]+": "), p.Name)
		for _, v := range p.Warm {
			pattern, ok := strings.CutPrefix(v, "FOCUS=")
			g.Expect(ok).To(BeTrue(), v)
			focus := regexp.MustCompile(pattern)
			g.Expect(slices.ContainsFunc(specs.All(), func(s suite.Spec) bool { return focus.MatchString(s.ID) })).To(BeTrue(), v)
		}
	}
}
