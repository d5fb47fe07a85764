package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/run"
)

var (
	// aside are the flags that do not affect the result of a run.
	aside = []string{"artifacts", "keep", "dry-run", "output"}
	// shown are the flags that are always included for a kind cluster, because
	// other versions of this program may have other defaults.
	shown = []string{"release", "gates", "scheduler", "workers"}
)

// again returns the flags that reproduce a run with the given flags.
func again(f *pflag.FlagSet) []string {
	provider := f.Lookup("provider")
	ofKind := provider != nil && provider.Value.String() == run.Kind
	var all []string
	f.VisitAll(func(flag *pflag.Flag) {
		if slices.Contains(aside, flag.Name) || !flag.Changed && (!ofKind || !slices.Contains(shown, flag.Name)) {
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
