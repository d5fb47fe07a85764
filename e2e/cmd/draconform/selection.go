// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/suite"
)

// addSelection adds the flags that select specs.
func addSelection(cmd *cobra.Command, s *suite.Selection, all []suite.Spec) {
	f := cmd.Flags()
	f.StringVar(&s.Labels, "labels", "", "label filter, such as \"partitioning && !driver\"")
	f.StringVar(&s.Focus, "focus", "", "regular expression that the ids of specs must match")
	_ = cmd.RegisterFlagCompletionFunc("labels", cobra.FixedCompletions(suite.KnownLabels(all), cobra.ShellCompDirectiveNoFileComp))
	for _, flag := range s.NameFlags() {
		f.StringSliceVar(flag.Names, flag.Flag, nil, flag.Usage)
		_ = cmd.RegisterFlagCompletionFunc(flag.Flag, completeList(flag.Known(all)))
		if flag.Flag == "id" { // An id is also a valid focus.
			_ = cmd.RegisterFlagCompletionFunc("focus", cobra.FixedCompletions(flag.Known(all), cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

// completeList completes the last element of a comma-separated list.
func completeList(known []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var all []cobra.Completion
		for _, name := range known {
			all = append(all, before+name)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}
