// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/published"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// driver returns a complete implementation.
func driver() report.Implementation {
	return report.Implementation{
		Driver: "gpu.example.com", Mode: "default", Organization: "Example, Inc.", Project: "GPU driver",
		URL: "https://example.com/gpu", Version: "v1.2.3", Contact: []string{"@example/gpu"},
	}
}

// run returns the report of a complete run after changes.
func run(changes ...func(*report.Report)) report.Report {
	spec := report.Spec{
		ID: "fits", Description: "It fits.", Profile: "driver", Component: env.Driver, Features: []features.Feature{features.Core}, Outcome: suite.Passed,
	}
	r := report.Report{
		Run: report.Run{
			ID: "20260301-120000-0a1f", Started: metav1.NewTime(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), Version: "v0.4.0",
			Flags: []string{"--provider", "existing", "--context", "private", "--driver", "work/gpu.yaml"},
		},
		Cluster: report.Cluster{Provider: "existing", Components: []report.Component{{Name: "kube-apiserver", Version: "v1.37.1-eks-1", Count: 1}}},
		Subject: report.Subject{Drivers: []string{"gpu.example.com"}, Implementations: []report.Implementation{driver()}},
		Specs:   []report.Spec{spec},
		Verdict: report.Verdict{
			Result: report.Passed, Counts: map[suite.Outcome]int{suite.Passed: 1}, Rule: report.Rule,
			Profiles: []report.Profile{{Name: "driver", Result: report.Conformant, Counts: map[suite.Outcome]int{suite.Passed: 1}}},
		},
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

// content returns the report.yaml of a report.
func content(t *testing.T, r report.Report) string {
	t.Helper()
	path, err := r.Write(t.TempDir())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	written, err := os.ReadFile(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(written)
}

const (
	project  = "v1.37/example-inc-gpu-driver/"
	complete = project + "default-v1.2.3-report.yaml"
	manual   = project + "README.md"

	readme = "# GPU driver\n\n## Reproduce\n\n    draconform run --provider existing --driver gpu.yaml --context \"$CONTEXT\" --keep\n"
)

// tree is the content of files by their paths.
type tree map[string]string

// valid returns the smallest valid tree.
func valid(t *testing.T) tree {
	t.Helper()
	return tree{complete: content(t, run()), manual: readme}
}

// with returns a copy with other files. Files without content are removed.
func (files tree) with(others tree) tree {
	all := maps.Clone(files)
	for path, content := range others {
		if all[path] = content; content == "" {
			delete(all, path)
		}
	}
	return all
}

// write writes a tree into a new directory.
func (files tree) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		NewWithT(t).Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
		NewWithT(t).Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	}
	return dir
}

// problems returns the problems of a tree, with paths below its directory.
func (files tree) problems(t *testing.T) []published.Problem {
	t.Helper()
	dir := files.write(t)
	_, problems, err := published.Read(dir)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for i := range problems {
		path, err := filepath.Rel(dir, problems[i].File)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		problems[i].File = filepath.ToSlash(path)
	}
	return problems
}
