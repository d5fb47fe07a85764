// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/hack/internal/draconform"
)

const stubScript = `#!/bin/sh
echo spec s1
echo warning of s1 >&2
printf '%s\n' "$@" >"$(dirname "$0")/args"
for dir; do :; done
mkdir -p "$dir/run-1"
cat >"$dir/run-1/report.yaml" <<END
apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: run-1}
specs: [{id: s1, outcome: passed}]
verdict: {result: passed}
END
`

// stub returns a cluster whose draconform command writes its arguments to the
// file args and a report.
func stub(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "draconform")
	NewWithT(t).Expect(os.WriteFile(program, []byte(stubScript), 0o755)).To(Succeed())
	return &cluster{
		options: options{draconform: program, source: source, scale: 2, focus: "a|b"}, dir: dir, release: clusters.Newest(),
		provider: kind.New(nil, kind.Options{Name: "c"}),
	}
}

func TestJudgeRunsSpecsByTheDriverFiles(t *testing.T) {
	g := NewWithT(t)
	c := stub(t)
	var out bytes.Buffer
	got, err := c.judge(t.Context(), &out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Specs).To(HaveLen(1))
	g.Expect(out.String()).To(Equal("spec s1\nwarning of s1\n"), "the user sees the progress of the run")
	g.Expect(os.ReadFile(filepath.Join(c.dir, "run", draconform.OutputFile))).To(BeEquivalentTo(out.String()))
	args, err := os.ReadFile(filepath.Join(c.dir, "args"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Split(strings.TrimSuffix(string(args), "\n"), "\n")).To(Equal([]string{
		"run", "--provider", "existing", "--kubeconfig", c.provider.GetKubeconfig(), "--context", "kind-c", "--kind-cluster", "c", "--node-agent", "--parallel", "8",
		"--timeout-scale", "2", "--driver", filepath.Join(c.dir, "test-driver.yaml"), "--driver", filepath.Join(c.dir, "boards.yaml"),
		"--focus", "a|b", "--artifacts", filepath.Join(c.dir, "run"),
	}))
}

func TestJudgeWithoutAReport(t *testing.T) {
	c := stub(t)
	c.draconform = "/nonexistent"
	_, err := c.judge(t.Context(), io.Discard)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("judge the drivers: run draconform, see ")))
}

func TestVendorRejectsItsCommandLine(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"release": {[]string{"--release", "1.12"}, `usage: kubernetes release "1.12" is not supported`},
		"gates":   {[]string{"--gates", "Unknown=true", "--source", source}, "usage: "},
		"files":   {[]string{"--source", "/nonexistent"}, "read the expected outcomes: open /nonexistent/expected.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			err := vendor(context.WithoutCancel(t.Context()), test.args, os.Stderr)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}
