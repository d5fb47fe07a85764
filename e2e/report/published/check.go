// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// Problem is a violation of the rules of published reports.
type Problem struct {
	// File is the file or directory with the problem.
	File string `json:"file"`
	// Found is what is wrong.
	Found string `json:"found"`
	// Fix is what to do.
	Fix string `json:"fix"`
}

// checker collects the problems of one report.
type checker struct {
	Report
	problems []Problem
}

func (c *checker) problem(fix, format string, args ...any) {
	c.problems = append(c.problems, Problem{c.Path, fmt.Sprintf(format, args...), fix})
}

// check checks everything in a report but the commands that reproduce it.
func (c *checker) check(content []byte) {
	c.digest(content)
	c.implementations()
	c.names()
	c.release()
	c.completeness()
}

func (c *checker) digest(content []byte) {
	const fix = "publish the report.yaml of a run as the run wrote it"
	if c.Digest == "" {
		c.problem(fix, "has no digest")
		return
	}
	digest, err := report.Digest(content)
	if err != nil {
		c.problem(fix, "%v", err)
	} else if digest != c.Digest {
		c.problem(fix, "was changed after the run: its content has the digest %s, not %s", digest, c.Digest)
	}
}

// implementations checks that every driver of the run is identified.
func (c *checker) implementations() {
	const fix = "complete the implementation in the driver file and run again"
	if len(c.Subject.Implementations) == 0 {
		c.problem("run the specs with the file of your driver", "has no implementation")
	}
	for _, driver := range c.Subject.Drivers {
		if !slices.ContainsFunc(c.Subject.Implementations, func(i report.Implementation) bool { return i.Driver == driver }) {
			c.problem(fix, "driver %s has no implementation", driver)
		}
	}
	for _, i := range c.Subject.Implementations {
		if missing := missing(i); len(missing) > 0 {
			c.problem(fix, "the implementation of driver %s lacks %s", i.Driver, strings.Join(missing, ", "))
		}
		if i.URL != "" && !IsWebPage(i.URL) {
			c.problem(fix, "the url %q of driver %s is no web page", i.URL, i.Driver)
		}
		if reason := notFixed(i.Version); i.Version != "" && reason != "" {
			c.problem("judge a released build, and set implementation.version in the driver file to its tag, commit or image digest", "%s", reason)
		}
	}
}

// missing returns the empty fields of an implementation.
func missing(i report.Implementation) []string {
	var names []string
	for _, field := range []struct{ name, value string }{
		{"organization", i.Organization}, {"project", i.Project}, {"url", i.URL}, {"version", i.Version}, {"contact", strings.Join(i.Contact, "")}, {"mode", i.Mode},
	} {
		if strings.TrimSpace(field.value) == "" {
			names = append(names, field.name)
		}
	}
	return names
}

// IsWebPage reports whether a URL can be a link.
func IsWebPage(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && parsed.Host != "" && (parsed.Scheme == "https" || parsed.Scheme == "http")
}

// names checks that the names of the directory and of the file match the
// content.
func (c *checker) names() {
	if len(c.Own) == 0 {
		var expected []string
		for _, i := range c.Subject.Implementations {
			if name := directory(i); name != "" {
				expected = append(expected, name)
			}
		}
		if len(expected) > 0 {
			c.problem("move it to the directory "+strings.Join(expected, " or "), "is in the directory %s, and judges another implementation", c.Directory)
		}
		return
	}
	for _, i := range c.Own[1:] {
		if i.Version != c.Own[0].Version {
			c.problem("judge drivers of one version together", "has the versions %s and %s of %s", c.Own[0].Version, i.Version, c.Directory)
		}
	}
	if name := fileName(c.Own); c.Own[0].Version != "" && c.name() != name {
		c.problem("rename it to "+name, "has the name %s, and judges mode %s of version %s", c.name(), modes(c.Own), c.Own[0].Version)
	}
}

func (c *checker) release() {
	switch release := c.Cluster.Release(); {
	case release == "":
		c.problem("publish a report with the version of the API server", "does not say which Kubernetes release the cluster had")
	case semver.MajorMinor(release) != c.Release:
		c.problem("move it to the directory "+semver.MajorMinor(release), "is in the directory %s, and its cluster had Kubernetes %s", c.Release, release)
	}
}

func (c *checker) completeness() {
	reason := NotComplete(c.Report.Report)
	switch {
	case len(c.Specs) == 0:
		c.problem("publish the report of a run that ran specs", "has no specs")
	case c.Partial && reason == "":
		c.problem("move it to the directory above "+partialDir, "is complete")
	case !c.Partial && reason != "":
		c.problem("move it to the directory "+partialDir+", or publish a complete run", "is not complete: %s", reason)
	}
}

// NotComplete states why a report does not cover all specs. It is empty if it
// does. Failed specs, and specs that cannot run in the cluster, do not make a
// report incomplete.
func NotComplete(r report.Report) string {
	unfinished := 0
	for _, s := range r.Specs {
		if s.Outcome == suite.Skipped || s.Outcome == "" {
			unfinished++
		}
	}
	switch {
	case r.Run.Selection != "":
		return "the run excluded specs by " + r.Run.Selection
	case r.Verdict.Result == report.Incomplete || r.Verdict.Problem != "":
		return "the run ended early"
	case unfinished > 0:
		return fmt.Sprintf("%d of %d specs were not completed", unfinished, len(r.Specs))
	}
	return ""
}
