// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/report"
)

// Report is a published report.
type Report struct {
	report.Report
	// Path is the path of the file.
	Path string
	// Release is the directory of the Kubernetes release, such as v1.37.
	Release string
	// Directory is the directory of the implementation.
	Directory string
	// Partial states that the report is in the directory of partial ones.
	Partial bool
	// Own are the implementations that the directory belongs to, and Others
	// those that were judged in the same run.
	Own, Others []report.Implementation
}

// Mode returns the mode of the report's own implementations.
func (r Report) Mode() string { return modes(r.Own) }

func (r Report) name() string { return filepath.Base(r.Path) }

// Read reads the reports in a directory and verifies them and the directory.
// The directory is that of all reports, of a Kubernetes release, or of an
// implementation. Reports that cannot be decoded are only in the problems. The
// error is about the directory itself.
func Read(dir string) ([]Report, []Problem, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read published reports: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read published reports: %w", err)
	}
	var r reader
	name, above := filepath.Base(absolute), filepath.Base(filepath.Dir(absolute))
	switch {
	case releases.MatchString(name):
		r.release(dir, name)
	case releases.MatchString(above):
		r.implementation(dir, above, name)
	case !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.IsDir() && releases.MatchString(e.Name()) }):
		return nil, nil, fmt.Errorf("read published reports: %s has no directory of a Kubernetes release such as v1.37, and is not in one", dir)
	default:
		r.all(dir)
	}
	return r.reports, r.problems, nil
}

// reader collects reports and problems.
type reader struct {
	reports  []Report
	problems []Problem
}

func (r *reader) problem(path, found, fix string) {
	r.problems = append(r.problems, Problem{path, found, fix})
}

// list returns the directories and files in a directory, without hidden ones.
func (r *reader) list(dir string) (dirs, files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		r.problem(dir, err.Error(), "make it readable")
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			dirs = append(dirs, path)
		default:
			files = append(files, path)
		}
	}
	return dirs, files
}

// all reads the directory of all reports.
func (r *reader) all(dir string) {
	dirs, files := r.list(dir)
	r.stray(files)
	for _, path := range dirs {
		if name := filepath.Base(path); releases.MatchString(name) {
			r.release(path, name)
		} else {
			r.problem(path, "is not the directory of a Kubernetes release", "name it like v1.37, or move it elsewhere")
		}
	}
}

// release reads the directory of a Kubernetes release.
func (r *reader) release(dir, release string) {
	dirs, files := r.list(dir)
	r.stray(files)
	for _, path := range dirs {
		r.implementation(path, release, filepath.Base(path))
	}
}

// implementation reads the directory of an implementation.
func (r *reader) implementation(dir, release, name string) {
	before := len(r.reports)
	dirs, files := r.list(dir)
	found := r.read(files, Report{Release: release, Directory: name})
	for _, path := range dirs {
		if filepath.Base(path) != partialDir {
			r.problem(path, "is not part of the layout of reports", "move it elsewhere")
			continue
		}
		nested, files := r.list(path)
		for _, path := range nested {
			r.problem(path, "is not part of the layout of reports", "move it elsewhere")
		}
		found = r.read(files, Report{Release: release, Directory: name, Partial: true}) || found
	}
	if !found {
		r.problem(dir, "has no report", "add the report.yaml of a run as <mode>-<version>"+suffix)
	}
	r.duplicates(r.reports[before:])
	r.reproduce(filepath.Join(dir, readme), r.reports[before:])
}

// read reads the reports among files. It reports whether there are any.
func (r *reader) read(files []string, at Report) bool {
	isReport := func(path string) bool { return strings.HasSuffix(path, suffix) }
	for _, path := range files {
		if !isReport(path) {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			r.problem(path, err.Error(), "make it readable")
			continue
		}
		at.Path = path
		r.decode(content, at)
	}
	r.stray(slices.DeleteFunc(slices.Clone(files), isReport))
	return slices.ContainsFunc(files, isReport)
}

// decode decodes and checks a report.
func (r *reader) decode(content []byte, at Report) {
	decoded, err := report.Decode(at.name(), content)
	if err != nil {
		r.problem(at.Path, err.Error(), "publish the report.yaml of a run as the run wrote it")
		return
	}
	at.Report = decoded
	at.Own, at.Others = of(decoded.Subject.Implementations, at.Directory)
	c := checker{Report: at}
	c.check(content)
	r.reports, r.problems = append(r.reports, at), append(r.problems, c.problems...)
}

// stray finds reports among files that are not read as reports.
func (r *reader) stray(files []string) {
	for _, path := range files {
		if extension := filepath.Ext(path); extension != ".yaml" && extension != ".yml" {
			continue
		}
		content, err := os.ReadFile(path)
		var kind metav1.TypeMeta
		if err == nil && yaml.Unmarshal(content, &kind) == nil && kind.Kind == report.Kind && kind.APIVersion == report.APIVersion {
			r.problem(path, "is a report, and is not published under this name",
				"move it to <release>/<organization>-<project>/<mode>-<version>"+suffix)
		}
	}
}

// duplicates finds reports of one implementation with the same mode.
func (r *reader) duplicates(reports []Report) {
	first := map[string]string{}
	for _, one := range reports {
		if len(one.Own) == 0 {
			continue // It is in the wrong directory.
		}
		mode := slug(one.Mode())
		if path := first[mode]; path != "" {
			r.problem(one.Path, fmt.Sprintf("has the mode %s, as %s has", one.Mode(), path),
				"keep one report for each mode, or give the modes different names in the driver files")
			continue
		}
		first[mode] = one.Path
	}
}

// reproduce checks that the README of an implementation has the commands of all
// its reports.
func (r *reader) reproduce(path string, reports []Report) {
	content, err := os.ReadFile(path)
	if err != nil {
		r.problem(path, err.Error(), "write it, with a section \""+heading+"\" that has the commands of the runs")
		return
	}
	runs, found := commandsOf(content)
	if !found {
		r.problem(path, "has no section \""+heading+"\"", "add it, with the commands of the runs")
		return
	}
	for _, one := range reports {
		commands := one.Commands()
		command := commands[len(commands)-1]
		wanted := runsOf(command)
		if !slices.ContainsFunc(runs, func(run []string) bool { return len(wanted) == 1 && slices.Equal(run, wanted[0]) }) {
			r.problem(path, "no command in a code block of the section \""+heading+"\" has the flags of "+one.name(), "add: "+command)
		}
	}
}
