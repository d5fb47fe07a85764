// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs"
)

func loadClassic(g Gomega) catalogue {
	all, err := load(classicData, classicComponents, specs.All(), nil)
	g.Expect(err).NotTo(HaveOccurred())
	return all
}

func TestClassicFaultsExistInTheCode(t *testing.T) {
	g := NewWithT(t)
	g.Expect(names(loadClassic(g).Faults)).To(ConsistOf(slices.Collect(maps.Keys(hooks(t, classicDir)))))
}

// The specs of each release run with its control plane, and the results are together.
func TestClassicFaultsAreJudgedInEachRelease(t *testing.T) {
	g := NewWithT(t)
	c := &classicDrivers{stub(t, "")}
	script := "#!/bin/sh\necho \"$DRACONFORM_BREAKS:\"" + writeReport
	g.Expect(os.WriteFile(c.breaker(), []byte(script), 0o755)).To(Succeed())
	got, err := c.runSpecs(t.Context(), fault{Name: "never-answers", Specs: []string{"classic-driver-waits-for-selection", "classic-earlier-driver-waits-for-pod"}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Specs).To(HaveLen(2))
	for release, spec := range map[string]string{"1.30": "classic-earlier-driver-waits-for-pod", "1.31": "classic-driver-waits-for-selection"} {
		dir := filepath.Join(c.Dir, "never-answers-"+release)
		output, err := os.ReadFile(filepath.Join(dir, "output.log"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.TrimSpace(string(output))).To(Equal("classic driver=never-answers:\nrun --provider control-plane --release " + release +
			" --gates alpha --scheduler kube-scheduler --focus ^(" + spec + ")$ --timeout-scale 1.5 --artifacts " + dir))
	}
	g.Expect(c.control(t.Context(), []fault{{Specs: []string{"s1"}}})).To(MatchError(`without a fault, s1 is "failed": because`))
}
