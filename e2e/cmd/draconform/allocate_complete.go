// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/diagnose"
)

// complete completes names of what is in the files, or in the cluster, that preceding
// flags name.
func (f *allocateFlags) complete(names func(*state.Objects) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if slices.Contains(f.files, state.Stdin) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		objects, err := state.Read(f.files, nil)
		if err == nil && f.live {
			ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
			defer cancel()
			_, err = addLive(ctx, f.kubeconfig, f.context, objects)
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(objects), cobra.ShellCompDirectiveNoFileComp
	}
}

func nodeNames(objects *state.Objects) (names []string) {
	for _, node := range objects.AllNodes() {
		names = append(names, node.Name)
	}
	return names
}

// pendingClaims returns the claims that can be allocated.
func pendingClaims(objects *state.Objects) (names []string) {
	for _, claim := range objects.Pending() {
		names = append(names, diagnose.ClaimName(claim))
	}
	return names
}
