// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/distribution/reference"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/manifests"
)

func newScheduler() *cobra.Command {
	cmd := &cobra.Command{Use: "scheduler", Short: "Run the bundled scheduler in addition to the scheduler of a cluster", Args: noArgs, RunE: printHelp}
	cmd.AddCommand(newSchedulerRender())
	return cmd
}

// secondScheduler contains the configurable values of an additional scheduler.
// The defaults are the values in the manifest.
type secondScheduler struct {
	name      string // The name of the scheduler and of its objects.
	namespace string
	image     string
}

func newSchedulerRender() *cobra.Command {
	o := secondScheduler{name: manifests.SchedulerName, namespace: "kube-system", image: images.Scheduler.Reference("")}
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Print the manifest of the bundled scheduler as a second scheduler",
		Long: `Print the manifest of the bundled scheduler as a second scheduler: a Deployment and
its permissions. It schedules the pods whose spec.schedulerName is its name.

A scheduler does not observe pending allocations of another one, so all pods that
use the devices of one driver must have the same scheduler. The image must be on
the nodes, see "draconform images --scheduler", or in a registry.`,
		Example: `  draconform images --scheduler scheduler.tar     # to import on the nodes
  draconform scheduler render | kubectl apply -f -
  draconform scheduler render | kubectl delete -f -`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			manifest, err := o.render()
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), manifest)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", o.name, "name of the scheduler and of its objects")
	f.StringVarP(&o.namespace, "namespace", "n", o.namespace, "namespace of the scheduler")
	f.StringVar(&o.image, "image", o.image, "image of the scheduler")
	return cmd
}

// render returns the manifest with the configured values.
func (o secondScheduler) render() (string, error) {
	for _, check := range []struct{ what, value string }{{"name", o.name}, {"namespace", o.namespace}} {
		if problems := validation.IsDNS1123Label(check.value); len(problems) > 0 {
			return "", usageError(fmt.Errorf("%s %q of the scheduler: %s", check.what, check.value, problems[0]))
		}
		var read any
		if err := yaml.Unmarshal([]byte(check.value), &read); err != nil || read != check.value {
			return "", usageError(fmt.Errorf("%s %q of the scheduler: not a string in YAML", check.what, check.value))
		}
	}
	if _, err := reference.ParseNormalizedNamed(o.image); err != nil {
		return "", usageError(fmt.Errorf("image %q of the scheduler: %w", o.image, err))
	}
	manifest, err := manifests.FS.ReadFile("scheduler.yaml")
	if err != nil {
		return "", err
	}
	_, objects, _ := strings.Cut(string(manifest), "\napiVersion:")
	return strings.NewReplacer(
		manifests.SchedulerName, o.name,
		"amespace: kube-system", "amespace: "+o.namespace,
		images.Scheduler.Ref, o.image,
	).Replace("apiVersion:" + objects), nil
}
