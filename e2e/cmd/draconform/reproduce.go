// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/run"
)

var (
	// ignoredFlags are the flags that do not affect the result of a run.
	ignoredFlags = []string{"artifacts", "keep", "dry-run", "output", "results-dir", "run-id"}
	// clusterFlags are the flags that are always included for a cluster of the
	// run, because other versions of this program may have other defaults.
	clusterFlags = map[string][]string{
		run.Kind:         {"release", "gates", "scheduler", "workers"},
		run.ControlPlane: {"release", "gates", "scheduler"},
	}
)

// reproduceFlags returns the flags that reproduce a run with the given flags.
func reproduceFlags(f *pflag.FlagSet) []string {
	var always []string
	if provider := f.Lookup("provider"); provider != nil {
		always = clusterFlags[provider.Value.String()]
		if provider.Value.String() == "" && !f.Changed("driver") {
			always = clusterFlags[run.Kind]
		}
	}
	var all []string
	f.VisitAll(func(flag *pflag.Flag) {
		if slices.Contains(ignoredFlags, flag.Name) || !flag.Changed && !slices.Contains(always, flag.Name) {
			return
		}
		if flag.Value.Type() == "stringArray" { // The flag is repeated.
			for _, one := range flag.Value.(pflag.SliceValue).GetSlice() {
				all = append(all, "--"+flag.Name, one)
			}
			return
		}
		value := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if flag.Name == "release" && value == "" {
			value = clusters.Newest().Minor
		}
		switch {
		case flag.Value.Type() != "bool":
			all = append(all, "--"+flag.Name, value)
		case value == "true":
			all = append(all, "--"+flag.Name)
		default:
			all = append(all, "--"+flag.Name+"="+value)
		}
	})
	return all
}
