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
	"github.com/draconform/draconform/e2e/suite"
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

// reportAll reports three specs: those that a run selects as failed, and the others as skipped.
const reportAll = `
echo "$@"
specs=
for id in classic-driver-waits-for-selection classic-earlier-driver-waits-for-pod s1; do
	case "$*" in *"$id"*) outcome=failed ;; *) outcome=skipped ;; esac
	specs="$specs{id: $id, outcome: $outcome, reason: because}, "
done
for dir; do :; done
mkdir -p "$dir/run-1"
cat > "$dir/run-1/report.yaml" <<END
apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: run-1}
specs: [$specs]
verdict: {result: failed}
END
exit 1
`

// The specs of each release run with its control plane, and the results are together.
func TestClassicFaultsAreJudgedInEachRelease(t *testing.T) {
	g := NewWithT(t)
	c := &classicDrivers{stub(t, "")}
	script := "#!/bin/sh\necho \"$DRACONFORM_BREAKS:\"" + reportAll
	g.Expect(os.WriteFile(c.breaker(), []byte(script), 0o755)).To(Succeed())
	got, err := c.runSpecs(t.Context(), fault{Name: "never-answers", Specs: []string{"classic-driver-waits-for-selection", "classic-earlier-driver-waits-for-pod"}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Specs).To(ConsistOf(HaveField("Outcome", suite.Failed), HaveField("Outcome", suite.Failed)), "each spec has the outcome of its release")
	for release, spec := range map[string]string{"1.30": "classic-earlier-driver-waits-for-pod", "1.31": "classic-driver-waits-for-selection"} {
		dir := filepath.Join(c.Dir, "never-answers-"+release)
		output, err := os.ReadFile(filepath.Join(dir, "output.log"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.TrimSpace(string(output))).To(Equal("classic driver=never-answers:\nrun --provider control-plane --release " + release +
			" --gates alpha --scheduler kube-scheduler --focus ^(" + spec + ")$ --timeout-scale 1.5 --artifacts " + dir))
	}
	g.Expect(c.control(t.Context(), []fault{{Specs: []string{"s1"}}})).To(MatchError(`without a fault, s1 is "failed": because`))
}
