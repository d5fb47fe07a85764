// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
)

// Fact is a property of a run in a table.
type Fact struct{ Name, Value string }

// Facts returns the properties of the run, the cluster and the drivers.
func Facts(r report.Report) []Fact {
	cluster := r.Cluster.Provider
	if r.Cluster.Name != "" {
		cluster += " cluster " + r.Cluster.Name
	}
	workers := fmt.Sprint(r.Cluster.Workers)
	if len(journeys(r)) > 0 && r.Cluster.Workers == 0 {
		cluster, workers = r.Cluster.Provider+" cluster for each journey", ""
	}
	facts := []Fact{
		{"Run", r.Run.ID},
		{"Started", r.Run.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
		{"Duration", formatDuration(r.Run.Duration.Seconds())},
		{"draconform", r.Run.Version},
		{"Selection", r.Run.Selection},
		{"Cluster", cluster},
		{"Workers", workers},
		{"Kubernetes", versions(r, "kube-apiserver")},
		{"Kubelets", versions(r, "kubelet")},
		{"Scheduler", scheduler(r)},
		{"Feature gates", gates(r.Cluster)},
		{"Features", present(r.Features)},
		{"Drivers", drivers(r.Subject)},
	}
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Value == "" })
}

// versions returns the versions of a component, with the number of instances of
// each if they differ.
func versions(r report.Report, component string) string {
	var all []report.Component
	for _, c := range r.Cluster.Components {
		if c.Name == component {
			all = append(all, c)
		}
	}
	var texts []string
	for _, c := range all {
		text := c.Version
		if len(all) > 1 {
			text = fmt.Sprintf("%s (%d instances)", text, c.Count)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// scheduler returns the requested scheduler and the running one.
func scheduler(r report.Report) string {
	var texts []string
	for _, c := range r.Cluster.Components {
		if c.Name != "kube-scheduler" {
			continue
		}
		text := c.Version
		if c.Emulates != "" {
			text += ", emulates " + c.Emulates
		}
		if c.Image != "" {
			text += ", image " + c.Image
		}
		texts = append(texts, text)
	}
	if len(r.Cluster.Components) > 0 && len(texts) == 0 {
		texts = append(texts, "unknown version")
	}
	running := strings.Join(texts, "; ")
	if r.Cluster.Scheduler != "" && running != "" {
		return r.Cluster.Scheduler + ": " + running
	}
	return cmp.Or(running, r.Cluster.Scheduler)
}

func gates(c report.Cluster) string {
	on := 0
	for _, enabled := range c.Gates {
		if enabled {
			on++
		}
	}
	var texts []string
	if c.GateSet != "" {
		texts = append(texts, "set "+c.GateSet)
	}
	if len(c.Gates) > 0 {
		texts = append(texts, fmt.Sprintf("%d of %d DRA gates enabled", on, len(c.Gates)))
	}
	return strings.Join(texts, ", ")
}

// present lists the features that the cluster has, then those that it lacks,
// and marks those that the caller declared.
func present(set features.Set) string {
	var has, lacks []string
	for _, f := range slices.Sorted(maps.Keys(set)) {
		name := string(f)
		if set[f].Overridden {
			name += " (declared by the caller)"
		}
		if set[f].Present {
			has = append(has, name)
		} else {
			lacks = append(lacks, name)
		}
	}
	text := strings.Join(has, ", ")
	if len(lacks) > 0 {
		text = strings.TrimPrefix(text+"; absent: "+strings.Join(lacks, ", "), "; ")
	}
	return text
}

func drivers(s report.Subject) string {
	if len(s.Drivers) == 0 {
		return ""
	}
	if len(s.Implementations) > 0 {
		texts := make([]string, len(s.Implementations))
		for i, implementation := range s.Implementations {
			texts[i] = implementation.String()
		}
		return strings.Join(texts, "; ")
	}
	text := strings.Join(s.Drivers, ", ")
	if s.Installed {
		text += " (fake drivers, installed for the run)"
	}
	return text
}

// formatDuration formats a duration.
func formatDuration(seconds float64) string {
	if math.Round(seconds*10) < 600 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
