// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package report collects what is visible in a container of a test pod about
// its devices.
package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/draconform/draconform/fakedriver/devenv"
)

// Kind is the value of Report.Kind.
const Kind = "Devices"

// Report is the line of JSON that the workload prints.
type Report struct {
	Kind string `json:"kind"`
	// Pod and Node are the environment variables POD_NAME and NODE_NAME.
	Pod  string `json:"pod,omitempty"`
	Node string `json:"node,omitempty"`
	// Devices are the devices of the fake drivers, in the order of
	// devenv.Parse.
	Devices []devenv.Device `json:"devices"`
	// Env are the requested environment variables that are set.
	Env map[string]string `json:"env,omitempty"`
	// Paths are the files that match the requested patterns, sorted.
	Paths []string `json:"paths,omitempty"`
	// Errors are the errors of parsing the environment and matching paths.
	Errors []string `json:"errors,omitempty"`
}

// Request selects what a report contains in addition to the devices of fake
// drivers. Other drivers expose devices to a container by such environment
// variables and paths.
type Request struct {
	// Env are names of environment variables.
	Env []string
	// Paths are patterns for filepath.Glob.
	Paths []string
}

// New creates a report from an environment in the format of os.Environ and from
// the file system.
func New(environ []string, request Request) Report {
	devices, errs := devenv.Parse(environ)
	report := Report{Kind: Kind, Devices: devices}
	if devices == nil {
		report.Devices = []devenv.Device{} // An empty list, not null.
	}
	for _, err := range errs {
		report.Errors = append(report.Errors, err.Error())
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch name {
		case "POD_NAME":
			report.Pod = value
		case "NODE_NAME":
			report.Node = value
		}
		if slices.Contains(request.Env, name) {
			if report.Env == nil {
				report.Env = map[string]string{}
			}
			report.Env[name] = value
		}
	}
	report.addPaths(request.Paths)
	return report
}

func (r *Report) addPaths(patterns []string) {
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			r.Errors = append(r.Errors, fmt.Sprintf("match path %q: %v", pattern, err))
		}
		r.Paths = append(r.Paths, paths...)
	}
	slices.Sort(r.Paths)
	r.Paths = slices.Compact(r.Paths)
}
