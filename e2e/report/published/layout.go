// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package published reads and verifies the directory of published reports:
//
//	<release>/<organization>-<project>/README.md
//	<release>/<organization>-<project>/<mode>-<version>-report.yaml
//	<release>/<organization>-<project>/partial/<mode>-<version>-report.yaml
package published

import (
	"regexp"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
)

const (
	// readme is the file that says how to reproduce the reports.
	readme = "README.md"
	// partialDir is the directory of reports that are not complete.
	partialDir = "partial"
	// suffix ends the names of reports.
	suffix = "-report.yaml"
)

// releases matches the directories of Kubernetes releases.
var releases = regexp.MustCompile(`^v1\.[1-9][0-9]*$`)

// others matches what slugs do not contain.
var others = regexp.MustCompile(`[^a-z0-9._]+`)

// slug returns a text as part of a file name: in lower case, with a dash in
// place of all but letters, digits, dots and underscores, and without these at
// its ends.
func slug(text string) string {
	return strings.Trim(others.ReplaceAllString(strings.ToLower(text), "-"), "-._")
}

// directory returns the name of the directory of an implementation. It is empty
// if the implementation has no name of letters or digits.
func directory(i report.Implementation) string {
	organization, project := slug(i.Organization), slug(i.Project)
	if organization == "" || project == "" {
		return ""
	}
	return organization + "-" + project
}

// of returns the implementations of a report to which a directory belongs, and
// the others.
func of(all []report.Implementation, name string) (own, foreign []report.Implementation) {
	for _, i := range all {
		if directory(i) == name {
			own = append(own, i)
		} else {
			foreign = append(foreign, i)
		}
	}
	return own, foreign
}

// modes returns the different modes of implementations, joined by dashes.
func modes(implementations []report.Implementation) string {
	var all []string
	for _, i := range implementations {
		if !slices.Contains(all, i.Mode) {
			all = append(all, i.Mode)
		}
	}
	return strings.Join(all, "-")
}

// fileName returns the name of the report of implementations of one project.
func fileName(implementations []report.Implementation) string {
	return slug(modes(implementations)) + "-" + slug(implementations[0].Version) + suffix
}
