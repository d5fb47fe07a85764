// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/suite"
)

// Read reads the report of a run from its report.yaml, or from the directory
// that contains it. Decoding is strict. Unknown fields and outcomes are errors,
// because ignoring them could invert the result.
func Read(path string) (Report, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, File)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Report{}, fmt.Errorf("read the report of a run: %w", err)
	}
	return Decode(path, content)
}

// FindRun returns the path of the report of the only run in a folder of runs.
func FindRun(dir string) (string, error) {
	reports, err := filepath.Glob(filepath.Join(dir, "*", File))
	if err != nil {
		return "", fmt.Errorf("find the report of a run: %w", err)
	}
	if len(reports) != 1 {
		return "", fmt.Errorf("find the report of a run: want one, there are %d in %s", len(reports), dir)
	}
	return reports[0], nil
}

// Decode decodes the content of a report as strictly as [Read]. The path is
// part of errors.
func Decode(path string, content []byte) (Report, error) {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(content, &kind); err != nil {
		return Report{}, fmt.Errorf("%s is not a report of a run: %w", path, err)
	}
	if kind.Kind != Kind || kind.APIVersion != APIVersion {
		return Report{}, fmt.Errorf("%s is not a supported report of a run: it has kind %q of version %q, not %q of %q",
			path, kind.Kind, kind.APIVersion, Kind, APIVersion)
	}
	var r Report
	if err := yaml.UnmarshalStrict(content, &r); err != nil {
		return Report{}, fmt.Errorf("read the report %s: %w", path, err)
	}
	if err := r.check(); err != nil {
		return Report{}, fmt.Errorf("read the report %s: %w", path, err)
	}
	return r, nil
}

var (
	// outcomes are the valid outcomes of a spec. It is empty for a spec of a
	// run that ended early.
	outcomes = []suite.Outcome{suite.Passed, suite.Failed, suite.Skipped, suite.NotSupported, suite.NotApplicable, ""}
	// levels are the valid levels of a spec. Older reports have none.
	levels = []string{suite.Core.String(), suite.Extended.String(), suite.Provisional.String(), ""}
	// ids matches the ids that [suite.Validate] accepts. The id of a spec is
	// also the name of a directory.
	ids = regexp.MustCompile(`^[a-z0-9-]+$`)
)

// check returns an error for content that no run writes.
func (r Report) check() error {
	if !slices.Contains([]Result{Passed, Failed, Incomplete, NothingDecided}, r.Verdict.Result) {
		return fmt.Errorf("unknown verdict %q", r.Verdict.Result)
	}
	if r.Run.ID == "" {
		return errors.New("the run has no id")
	}
	conformant := map[string]bool{}
	for _, p := range r.Verdict.Profiles {
		switch {
		case !slices.Contains([]Conformance{Conformant, NotConformant, Undecided, NotSupported}, p.Result):
			return fmt.Errorf("profile %s has the unknown result %q", p.Name, p.Result)
		case r.Verdict.Result.Succeeds() && p.Result == NotConformant:
			return fmt.Errorf("the verdict is %q, and profile %s is %q", r.Verdict.Result, p.Name, p.Result)
		}
		conformant[p.Name] = p.Result == Conformant
	}
	return r.checkSpecs(conformant)
}

// checkSpecs returns an error for specs that no run writes. conformant has the
// conformant profiles.
func (r Report) checkSpecs(conformant map[string]bool) error {
	seen := map[string]bool{}
	for _, s := range r.Specs {
		switch {
		case !ids.MatchString(s.ID):
			return fmt.Errorf("%q is not a valid spec id", s.ID)
		case seen[s.ID]:
			return fmt.Errorf("duplicate spec %s", s.ID)
		case !slices.Contains(outcomes, s.Outcome):
			return fmt.Errorf("spec %s has the unknown outcome %q", s.ID, s.Outcome)
		case !slices.Contains(levels, s.Level):
			return fmt.Errorf("spec %s has the unknown level %q", s.ID, s.Level)
		case s.Provisional():
		case s.Level == suite.Core.String() && conformant[s.Profile] && s.Outcome != suite.Passed:
			return fmt.Errorf("profile %s is conformant, and its core spec %s is %q", s.Profile, s.ID, s.Outcome)
		case r.Verdict.Result.Succeeds() && (s.Outcome == suite.Failed || s.Outcome == ""), r.Verdict.Result == NothingDecided && s.Outcome == suite.Passed:
			return fmt.Errorf("the verdict is %q, and spec %s is %q", r.Verdict.Result, s.ID, s.Outcome)
		}
		seen[s.ID] = true
	}
	return nil
}
