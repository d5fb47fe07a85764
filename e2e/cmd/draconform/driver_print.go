// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/preflight"
)

// print prints tables. An empty line separates them.
func (c checkedFiles) print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")) }
	line("DRIVER", "IMPLEMENTATION", "MODE", "ALLOWED")
	for _, d := range c.Drivers {
		implementation := none
		if i := d.Implementation; i != nil {
			implementation = strings.Join([]string{i.Organization, i.Project, i.Version}, " ")
		}
		line(d.Name, implementation, d.Mode, joined(d.Allowed))
	}
	line()
	line("KIND", "DRIVER", "HAS", "LACKS")
	for _, k := range c.Kinds {
		line(string(k.Kind), cmp.Or(k.Driver, none), joined(k.Has), joined(k.Lacks))
	}
	line()
	line("DRIVER", "CONTAINERS SEE DEVICES BY")
	for _, d := range c.Drivers {
		for _, source := range d.Containers {
			line(d.Name, source)
		}
		if len(d.Containers) == 0 {
			line(d.Name, "nothing: what containers see is not checked")
		}
	}
	line()
	line("DRIVER", "CAPABILITY", "ANSWER")
	for _, d := range c.Drivers {
		for _, capability := range d.Capabilities {
			line(d.Name, capability.Name, string(capability.Answer))
		}
	}
	line()
	line("TIMEOUT", "LIMIT")
	for _, t := range c.Timeouts {
		line(t.Name, t.Limit)
	}
	line()
	line("SPEC", "KIND", "RUNS", "REASON")
	for _, s := range c.Specs {
		runs := "no"
		if s.Runs {
			runs = "yes"
		}
		line(s.ID, joined(s.Kinds), runs, cmp.Or(s.Reason, none))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, class := range c.Classes {
		fmt.Fprintf(to, "a run creates the DeviceClass %s\n", class)
	}
	fmt.Fprintln(to, c.summary())
	return c.Cluster.print(to)
}

// print prints what was found in the cluster as a table, and the sentences about
// what is not OK below it, because they are long.
func (c *checkedCluster) print(to io.Writer) error {
	if c == nil {
		return nil
	}
	fmt.Fprintln(to)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DRIVER\tCHECK\tFIELD\tRESULT\tFOUND")
	for _, f := range c.Findings {
		message := "see below"
		if f.Result == preflight.OK {
			message = f.Message
		}
		fmt.Fprintln(w, strings.Join([]string{cmp.Or(f.Driver, none), f.Check, cmp.Or(f.Field, none), string(f.Result), message}, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, f := range c.problems() {
		f.Driver = cmp.Or(f.Driver, c.Name)
		fmt.Fprintln(to, f)
	}
	problems := 0
	for _, f := range c.Findings {
		if f.Result == preflight.Problem {
			problems++
		}
	}
	fmt.Fprintf(to, "%s: %d problems, %d warnings\n", c.Name, problems, len(c.problems())-problems)
	return nil
}

// summary returns how many specs could run, in all and for each kind of devices.
func (c checkedFiles) summary() string {
	count := func(counts func(checkedSpec) bool) string {
		all, run := 0, 0
		for _, s := range c.Specs {
			if counts(s) {
				all++
			}
			if counts(s) && s.Runs {
				run++
			}
		}
		return fmt.Sprintf("%d of %d", run, all)
	}
	var kinds []string
	for _, kind := range subject.Kinds() {
		kinds = append(kinds, fmt.Sprintf("%s %s", kind, count(func(s checkedSpec) bool { return slices.Contains(s.Kinds, kind) })))
	}
	all := count(func(s checkedSpec) bool { return len(s.Kinds) > 0 })
	return fmt.Sprintf("%s specs that use devices could run: %s", all, strings.Join(kinds, ", "))
}
