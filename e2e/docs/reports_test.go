// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/draconform/draconform/e2e/docs"
)

// publish writes reports of a folder in a test of the command into the folder of
// published reports of a checkout, and returns its directory docs.
func publish(t *testing.T, from string) string {
	t.Helper()
	g := NewWithT(t)
	archive, err := txtar.ParseFile("../cmd/draconform/testdata/script/report-publish.txtar")
	g.Expect(err).NotTo(HaveOccurred())
	dir := filepath.Join(t.TempDir(), "docs")
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, from+"/"); ok {
			path := filepath.Join(dir, "reports", name)
			g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
			g.Expect(os.WriteFile(path, f.Data, 0o600)).To(Succeed())
		}
	}
	return dir
}

// The page of reports links each of them by its path in the repository.
func TestPageOfReports(t *testing.T) {
	g := NewWithT(t)
	dir := publish(t, "good")
	page, err := docs.Reports(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(page).To(And(ContainSubstring("## Kubernetes v1.37\n"), ContainSubstring("## Kubernetes v1.37, partial reports\n"), ContainSubstring("(publishing.md)")))
	g.Expect(page).NotTo(Or(ContainSubstring("no reports"), ContainSubstring("gets a row")))
	links := regexp.MustCompile(`\]\((\.\./docs/reports/[^)]*)\)`).FindAllStringSubmatch(page, -1)
	g.Expect(links).To(HaveLen(2))
	for _, link := range links {
		g.Expect(filepath.Join(dir, link[1])).To(BeARegularFile())
	}
}

func TestPageWithoutReports(t *testing.T) {
	g := NewWithT(t)
	page, err := docs.Reports(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(page).To(ContainSubstring("# DRA drivers by conformance\n\nThere are no reports.\n\nEach report that is published here gets a row: "), "what will be here, and no legend of nothing")
}

func TestInvalidReportsHaveNoPage(t *testing.T) {
	g := NewWithT(t)
	_, err := docs.Reports(publish(t, "bad"))
	g.Expect(err).To(MatchError(ContainSubstring("problems")))
}
