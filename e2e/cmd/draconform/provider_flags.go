// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/draconform/draconform/e2e/run"
)

// runFlags and cleanFlags are the flags of these commands that have no effect with other
// providers. A command that ignored them would be about another cluster than the user
// wants.
var (
	runFlags = map[string][]string{
		"release":    {run.Kind, run.ControlPlane},
		"gates":      {run.Kind, run.ControlPlane},
		"serve":      {run.Kind, run.ControlPlane},
		"workers":    {run.Kind},
		"node-image": {run.Kind},
		"kubeconfig": {run.Existing},
		"context":    {run.Existing},
	}
	cleanFlags = map[string][]string{"images": {run.Kind}, "kubeconfig": {run.Existing}, "context": {run.Existing}}
)

// checkProviderFlags rejects flags that the provider ignores, unless they have their
// default.
func checkProviderFlags(f *pflag.FlagSet, of map[string][]string, provider string) (err error) {
	if !slices.Contains([]string{run.Kind, run.ControlPlane, run.Existing}, provider) {
		return nil // Another error says so.
	}
	f.Visit(func(flag *pflag.Flag) {
		providers := of[flag.Name]
		if err != nil || providers == nil || slices.Contains(providers, provider) || flag.Value.String() == flag.DefValue {
			return
		}
		err = fmt.Errorf("--%s has no effect with provider %s, only with --provider %s", flag.Name, provider, strings.Join(providers, " and "))
	})
	return err
}
