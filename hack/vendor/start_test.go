// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// startStub stands in for the go command: it installs a draconform that records its
// arguments, and writes a report for each run.
const startStub = `#!/bin/bash
[ "$*" = "install github.com/draconform/draconform/e2e/cmd/draconform" ] && [ -f main.go ] || exit 3
mkdir -p "$GOBIN"
cat >"$GOBIN/draconform" <<'END'
#!/bin/bash
echo "draconform $*"
[ "$1" = run ] || exit 0
n=$(ls _artifacts 2>/dev/null | wc -l)
mkdir -p "_artifacts/run-$n"
cat >"_artifacts/run-$n/report.yaml" <<YAML
apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: run-$n}
specs: [{id: s1, outcome: passed, profile: driver, level: core}]
verdict: {result: passed, profiles: [{name: driver, result: RESULT}]}
YAML
END
chmod +x "$GOBIN/draconform"
`

// startCluster returns a cluster without a container engine, and the page.
func startCluster(t *testing.T, result string) (c *cluster, page string) {
	t.Helper()
	g := NewWithT(t)
	bin := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(bin, "go"), []byte(strings.ReplaceAll(startStub, "RESULT", result)), 0o755)).To(Succeed())
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	content, err := os.ReadFile(filepath.Join("../..", startPage))
	g.Expect(err).NotTo(HaveOccurred())
	c = stub(t)
	c.start = true
	return c, string(content)
}

func TestCommandsOfTheStartPageAreRun(t *testing.T) {
	g := NewWithT(t)
	c, page := startCluster(t, "conformant")
	var out bytes.Buffer
	g.Expect(c.fromNothing(t.Context(), page, &out)).To(Succeed(), out.String())
	g.Expect(strings.Split(strings.TrimSpace(out.String()), "\n")).To(Equal([]string{
		"$ go install github.com/draconform/draconform/e2e/cmd/draconform@latest",
		"$ draconform driver init --output-file my-driver.yaml", "draconform driver init --output-file my-driver.yaml",
		"$ draconform driver check my-driver.yaml --live", "draconform driver check my-driver.yaml --live",
		"$ draconform run --driver my-driver.yaml --labels smoke", "draconform run --driver my-driver.yaml --labels smoke",
		"$ draconform run --driver my-driver.yaml", "draconform run --driver my-driver.yaml",
		"$ draconform cluster list", "draconform cluster list", "$ draconform cluster status c", "draconform cluster status c",
		"$ draconform cluster logs c logs", "draconform cluster logs c logs", "$ draconform pools", "draconform pools",
	}))
	g.Expect(c.toInstall()).To(HaveLen(1))
}

func TestADriverThatDoesNotConformIsFound(t *testing.T) {
	c, page := startCluster(t, "undecided")
	err := c.fromNothing(t.Context(), page, &bytes.Buffer{})
	NewWithT(t).Expect(err).To(MatchError("the driver does not conform to the profile driver"))
}

func TestACommandOfTheStartPageFails(t *testing.T) {
	g := NewWithT(t)
	c, page := startCluster(t, "conformant")
	err := c.fromNothing(t.Context(), strings.Replace(page, "driver check my-driver.yaml", "driver check 'my", 1), &bytes.Buffer{})
	g.Expect(err).To(MatchError(ContainSubstring("docs/start.md: draconform driver check 'my --live: exit status 2")))
	_, err = startCommands("# From nothing\n")
	g.Expect(err).To(MatchError(ContainSubstring("has no section")))
	_, err = startCommands(startSection + "\n    one\n")
	g.Expect(err).To(MatchError(ContainSubstring("has 1 commands, not five")))
}
