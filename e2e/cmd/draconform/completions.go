// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
)

// completeFlags adds the completions of flags that mean the same in every command,
// and keeps shells from completing files as arguments that a command does not take.
func completeFlags(cmd *cobra.Command) {
	for flag, complete := range map[string]cobra.CompletionFunc{
		"context": completeContexts,
		"run":     completeRuns,
		"kind-cluster": func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return clusterNames(cmd)
		},
		"driver": completeYAML, "artifacts": completeFolders, "results-dir": completeFolders, "cache": completeFolders,
	} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		if _, known := cmd.GetFlagCompletionFunc(flag); !known {
			_ = cmd.RegisterFlagCompletionFunc(flag, complete)
		}
	}
	if cmd.ValidArgsFunction == nil && cmd.Args(cmd, []string{"argument"}) != nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, c := range cmd.Commands() {
		completeFlags(c)
	}
}

func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeYAML(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeContexts completes the contexts of the kubeconfig that --kubeconfig names, or of kubectl's.
func completeContexts(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if f := cmd.Flags().Lookup("kubeconfig"); f != nil {
		rules.ExplicitPath = f.Value.String()
	}
	config, err := rules.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for name := range config.Contexts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeRuns completes the runs whose clusters are in the container engine.
func completeRuns(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	e, err := engine.Find(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, err := kind.List(cmd.Context(), e)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var runs []cobra.Completion
	for _, c := range found {
		runs = append(runs, c.Run)
	}
	slices.Sort(runs)
	return slices.Compact(runs), cobra.ShellCompDirectiveNoFileComp
}
