// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/preflight"
)

// errDriverFindings states that something in the cluster is not as the files
// need it. The output already reports it.
var errDriverFindings = fmt.Errorf("the cluster does not suit the driver files: %w", errReported)

// checkFlags are the flags of "driver check".
type checkFlags struct {
	live                bool
	kubeconfig, context string
	namespace, image    string
	registry            string
	output              string
}

func newDriverCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check driver files, and print what they describe and which specs could run",
		Long: `Check driver files, and print what they describe and which specs could run. Several
files describe drivers that are used in one run.

Without --live, no cluster is accessed: the features, nodes and devices that specs
need are assumed to exist. Specs that use no devices of a driver are not listed.

With --live, --context or --kubeconfig, the files are compared with a cluster:
classes and selectors with the published devices, roles with the devices that are
free, combinations of partitions with their counters, the DaemonSet, the rights of
the caller, and with --namespace also quotas and pod security. Nothing is created;
pods and slices are sent to the API server as dry runs. All specs are listed, with
what is missing for those that cannot run.

Exit status: 0 if the files are valid and the cluster suits them; 1 if there is a
problem in the cluster, or if it cannot be read; 2 if the files are not valid.`,
		Example: `  draconform driver check my-driver.yaml
  draconform driver check gpu.yaml nic.yaml -o json
  draconform driver check my-driver.yaml --live
  draconform driver check my-driver.yaml --context my-cluster --namespace conformance`,
		Args:              someArgs("driver files"),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
		ValidArgsFunction: completeYAML,
	}
	addOutput(cmd, &f.output)
	flags := cmd.Flags()
	flags.BoolVar(&f.live, "live", false, "compare the files with the cluster of the current context")
	addContext(cmd, &f.kubeconfig, &f.context)
	flags.StringVarP(&f.namespace, "namespace", "n", "", "existing namespace for the run (default a run creates one)")
	flags.StringVar(&f.image, "workload-image", "", "image of the pods of specs, unless a file has one (default the suite's)")
	flags.StringVar(&f.registry, "image-registry", "", imageRegistryHelp)
	return cmd
}

func (f *checkFlags) run(cmd *cobra.Command, files []string) error {
	drivers, err := driverfile.Read(files...)
	if err != nil {
		return usageError(err)
	}
	checked, err := describeDrivers(drivers)
	if err != nil {
		return usageError(err)
	}
	if f.live = f.live || f.kubeconfig != "" || f.context != ""; f.live {
		err = f.compare(cmd, files, &checked)
	} else if f.namespace != "" {
		return usageError(errors.New("--namespace needs --live"))
	}
	if err != nil && !errors.Is(err, errDriverFindings) {
		return err
	}
	if done, printErr := printStructured(cmd, f.output, checked); done {
		return errors.Join(err, printErr)
	}
	return errors.Join(err, checked.print(cmd.OutOrStdout()))
}

// compare compares drivers with the cluster. It returns errDriverFindings if
// there is a problem.
func (f *checkFlags) compare(cmd *cobra.Command, files []string, checked *checkedFiles) error {
	_, name, err := connect(cmd, f.kubeconfig, f.context)
	if err != nil {
		return err
	}
	config := run.Config{Provider: run.Existing, Kubeconfig: f.kubeconfig, Context: f.context, Drivers: files, Namespace: f.namespace, WorkloadImage: f.image, ImageRegistry: f.registry}
	found, err := run.Preflight(cmd.Context(), config)
	if errors.Is(err, run.ErrConfig) {
		return usageError(err)
	}
	if err != nil {
		return fmt.Errorf("check %s: %w", name, err)
	}
	results, err := run.DryRun(cmd.Context(), config, specs.All())
	switch {
	case err == nil:
		checked.Specs = nil
		for _, r := range results {
			checked.Specs = append(checked.Specs, checkedSpec{r.Spec.ID, r.Spec.Kinds, r.Outcome == "", r.Reason})
		}
	case cmd.Context().Err() != nil:
		return err
	default: // Findings about rights are more useful than an error alone.
		found = append(found, preflight.Finding{Check: "specs", Result: preflight.Problem, Message: fmt.Sprintf("which specs can run is only known from the files: %v", err)})
	}
	checked.Cluster = &checkedCluster{name, found}
	if preflight.Failed(found) {
		return errDriverFindings
	}
	return nil
}

// problems returns the findings that are not OK, the problems first.
func (c *checkedCluster) problems() []preflight.Finding {
	all := slices.DeleteFunc(slices.Clone(c.Findings), func(f preflight.Finding) bool { return f.Result == preflight.OK })
	slices.SortStableFunc(all, func(a, b preflight.Finding) int {
		rank := map[preflight.Result]int{preflight.Problem: 0, preflight.Warning: 1}
		return rank[a.Result] - rank[b.Result]
	})
	return all
}
