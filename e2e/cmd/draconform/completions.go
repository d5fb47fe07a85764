// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/run"
)

// commonFlags are the completions of flags that mean the same in every command.
var commonFlags = map[string]cobra.CompletionFunc{
	"context":      completeContexts,
	"namespace":    completeNamespaces,
	"run":          completeRuns,
	"kind-cluster": clusterNames,
	"driver":       completeYAML, "scheduler-config": completeYAML,
	"artifacts": completeFolders, "results-dir": completeFolders, "cache": completeFolders,
}

// fileFlags are the flags whose values are files, which shells complete by themselves.
var fileFlags = []string{"filename", "kubeconfig", "output-file", "scheduler-binary"}

// completeFlags adds the common completions to a command and its subcommands, and
// keeps shells from completing files as values of flags and as arguments that are none.
func completeFlags(cmd *cobra.Command) {
	add := func(f *pflag.Flag) {
		_, known := cmd.GetFlagCompletionFunc(f.Name)
		if known || f.NoOptDefVal != "" || slices.Contains(fileFlags, f.Name) {
			return
		}
		complete := commonFlags[f.Name]
		if complete == nil {
			complete = cobra.NoFileCompletions
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
	}
	cmd.Flags().VisitAll(add)
	cmd.PersistentFlags().VisitAll(add)
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

// completeNamespaces completes the namespaces of the cluster that preceding flags name.
func completeNamespaces(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return ofCluster(cmd).completeNamespaces(cmd, args, typed)
}

// ofCluster returns the flags of a command that select a cluster. Without them, it is
// that of kubectl's current context.
func ofCluster(cmd *cobra.Command) *liveFlags {
	f := &liveFlags{connect: connectTo}
	for name, value := range map[string]*string{"kubeconfig": &f.kubeconfig, "context": &f.context} {
		if flag := cmd.Flags().Lookup(name); flag != nil {
			*value = flag.Value.String()
		}
	}
	return f
}

// completeRuns completes the runs whose clusters are in the container engine, or whose
// namespaces are in the existing cluster that preceding flags name.
func completeRuns(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if f := cmd.Flags().Lookup("provider"); f != nil && f.Value.String() == run.Existing {
		return ofCluster(cmd).complete(cmd, runsIn)
	}
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
