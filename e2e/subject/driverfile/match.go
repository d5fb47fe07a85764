// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/workload/report"
)

// match is a match of a pattern in what a container reports.
type match struct {
	// what describes the match in messages, such as "variable A".
	what string
	// groups has the texts of the named groups.
	groups map[string]string
}

// other returns the driver that a match names, if it is another one.
func (d *Driver) other(m match) string {
	if driver := m.groups[groupDriver]; driver != d.Name {
		return driver
	}
	return ""
}

// compile returns a validated pattern, which matches whole texts only.
func (d *Driver) compile(pattern string) *regexp.Regexp {
	return regexp.MustCompile("^(?:" + d.expandPattern(pattern) + ")$")
}

// match adds the named groups of a pattern in a text, unless they are empty. It
// reports whether the pattern matches. An empty pattern matches every text.
func (d *Driver) match(m match, pattern, text string) bool {
	if pattern == "" {
		return true
	}
	compiled := d.compile(pattern)
	found := compiled.FindStringSubmatch(text)
	for i, group := range compiled.SubexpNames() {
		if found != nil && group != "" && found[i] != "" {
			m.groups[group] = found[i]
		}
	}
	return found != nil
}

// matches returns the matches of a pattern, and why something in the container
// cannot be read. A match can name another driver.
func (d *Driver) matches(p Pattern, r report.Report) (found []match, problems []string) {
	switch {
	case p.Environment != nil:
		found, problems = d.variables(*p.Environment, r.Env)
	case p.DeviceNodes != nil:
		found, problems = d.paths(*p.DeviceNodes, "device node", r.DeviceNodes), missing(r, report.FieldDeviceNodes)
	case p.Mounts != nil:
		found, problems = d.paths(*p.Mounts, "mount", r.Mounts), missing(r, report.FieldMounts)
	case p.Interfaces != nil:
		found, problems = d.interfaces(*p.Interfaces, r.Interfaces), missing(r, report.FieldInterfaces)
	}
	return found, problems
}

// missing returns why the workload could not collect a field.
func missing(r report.Report, field string) []string {
	if why := r.Errors[field]; why != "" {
		return []string{why}
	}
	return nil
}

// variables returns the matches of environment variables.
func (d *Driver) variables(e Environment, variables map[string]string) (found []match, problems []string) {
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		of := match{what: "variable " + name, groups: map[string]string{}}
		if !d.match(of, e.Name, name) {
			continue
		}
		for _, value := range split(variables[name], e.Separator) {
			m := match{what: of.what, groups: maps.Clone(of.groups)}
			if e.JSON && !json.Valid([]byte(value)) {
				problems = append(problems, fmt.Sprintf("%s has the value %q, which is not valid JSON", m.what, short(value)))
				continue
			}
			if !d.match(m, e.Value, value) {
				problems = append(problems, fmt.Sprintf("%s has the value %q, which the driver file does not describe", m.what, short(value)))
				continue
			}
			found = append(found, m)
		}
	}
	return found, problems
}

// split splits a list. Without a separator, the text is the only element.
func split(text, separator string) []string {
	if separator == "" {
		return []string{text}
	}
	return slices.DeleteFunc(strings.Split(text, separator), func(element string) bool { return element == "" })
}

// short returns the beginning of a text.
func short(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}

func (d *Driver) paths(p Paths, what string, paths []string) []match {
	var found []match
	for _, path := range paths {
		m := match{what: what + " " + path, groups: map[string]string{}}
		if d.match(m, p.Path, path) {
			found = append(found, m)
		}
	}
	return found
}

// commonInterfaces matches the interfaces that pods have without devices.
const commonInterfaces = "lo|eth0"

func (d *Driver) interfaces(i Interfaces, interfaces []report.Interface) []match {
	except := d.compile(cmp.Or(i.Except, commonInterfaces))
	var found []match
	for _, one := range interfaces {
		m := match{what: "network interface " + one.Name, groups: map[string]string{}}
		if !except.MatchString(one.Name) && d.match(m, i.Name, one.Name) && d.match(m, i.Address, one.Address) {
			found = append(found, m)
		}
	}
	return found
}
