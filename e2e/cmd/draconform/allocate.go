// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/e2e/diagnose"
)

// errNoFit states that not all claims fit. The output already reports it.
var errNoFit = fmt.Errorf("not all claims fit: %w", errReported)

// allocateFlags are the flags of the command.
type allocateFlags struct {
	files               []string
	live                bool
	kubeconfig, context string
	node                string
	claims              []string
	together, allNodes  bool
	release, gates      string
	fixes               []string
	affinity            bool
	output              string
}

func newAllocate() *cobra.Command {
	var f allocateFlags
	cmd := &cobra.Command{
		Use:   "allocate -f FILES",
		Short: "Compute the allocation of claims, per node",
		Long: `Compute the allocation of claims, per node, and explain why there is none.

ResourceSlices, DeviceClasses, ResourceClaims and Nodes are read from files, or
listed in a cluster with --live, or both. An object in a file replaces the object
with the same name in the cluster. Nothing is changed in the cluster. The devices
of allocated claims are in use. Without Node objects, the nodes are those that
ResourceSlices name.

The claims that are not allocated are allocated one after the other, in the order
of the input, each on the first node where it fits. With --together, all claims
belong to one pod.

The annotation draconform.dev/sharing-affinity of ResourceSlices, which Kubernetes
ignores, is applied (KEP-5981): claims that share a device must have the same
values for its keys. --fixes corrects known bugs of Kubernetes' allocator.

Exit status: 0 if all claims fit; 1 if not; 2 if flags, arguments or files are
invalid.`,
		Example: `  draconform allocate -f slices.yaml -f classes.yaml -f claim.yaml
  draconform allocate --live -f claim.yaml --all-nodes
  draconform allocate --live --claim default/gpu --node worker-1 -o json
  draconform allocate -f cluster/ --fixes AdminAccessIgnoresCounters`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	addFiles(cmd, &f.files)
	addFormat(cmd, &f.output)
	flags := cmd.Flags()
	flags.BoolVar(&f.live, "live", false, "list slices, classes, claims and nodes of a cluster")
	addContext(cmd, &f.kubeconfig, &f.context)
	flags.StringVar(&f.node, "node", "", "only this node")
	flags.StringArrayVar(&f.claims, "claim", nil, "only this claim, as NAMESPACE/NAME; may be repeated")
	flags.BoolVar(&f.together, "together", false, "allocate all claims on one node, as for one pod")
	flags.BoolVar(&f.allNodes, "all-nodes", false, "print the result for every node; claims do not affect each other")
	flags.StringVar(&f.release, "release", "", "Kubernetes release whose features are enabled, such as 1.37 (default the newest supported)")
	flags.StringVar(&f.gates, "gates", "default", "DRA feature gates: default, alpha, off, or a list such as alpha,DRAAdminAccess=false")
	flags.StringSliceVar(&f.fixes, "fixes", nil, "known bugs of Kubernetes' allocator to correct, or all: "+strings.Join(fixNames(), ", "))
	flags.BoolVar(&f.affinity, "sharing-affinity", true, "apply the sharing affinity that slices declare")
	completeGates(cmd)
	_ = cmd.RegisterFlagCompletionFunc("fixes", completeFixes)
	_ = cmd.RegisterFlagCompletionFunc("node", f.complete(nodeNames))
	_ = cmd.RegisterFlagCompletionFunc("claim", f.complete(pendingClaims))
	return cmd
}

func (f *allocateFlags) run(cmd *cobra.Command) error {
	features, err := f.features()
	if err != nil {
		return usageError(err)
	}
	fixes, err := parseFixes(f.fixes)
	if err != nil {
		return usageError(err)
	}
	objects, err := f.read(cmd)
	if err != nil {
		return err
	}
	index := allocator.NewIndex(allocator.Config{Features: features, Fixes: fixes, SharingAffinity: f.affinity})
	index.Update(objects.Slices)
	t := &trial{objects: objects, features: features, index: index, allNodes: f.allNodes}
	if t.nodes, err = f.nodes(objects); err != nil {
		return usageError(err)
	}
	pods, err := f.pods(objects)
	if err != nil {
		return usageError(err)
	}
	outcomes := make([]outcome, 0, len(pods))
	for _, claims := range pods {
		o, err := t.try(cmd.Context(), claims)
		if err != nil {
			return fmt.Errorf("allocate: %w", err)
		}
		outcomes = append(outcomes, o)
	}
	return printOutcomes(cmd, outcomes, f.output)
}

// features returns the allocator features that the gates enable. A gate that
// the release does not have is disabled.
func (f *allocateFlags) features() (structured.Features, error) {
	release, err := findRelease(f.release)
	if err != nil {
		return structured.Features{}, err
	}
	set, err := gates.Parse(f.gates, release)
	if err != nil {
		return structured.Features{}, err
	}
	return diagnose.Features(set), nil
}

func (f *allocateFlags) read(cmd *cobra.Command) (*state.Objects, error) {
	if !f.live && (f.kubeconfig != "" || f.context != "") {
		return nil, usageError(errors.New("--kubeconfig and --context need --live"))
	}
	objects := &state.Objects{}
	if len(f.files) > 0 || !f.live {
		var err error
		if objects, err = readObjects(cmd, f.files, false); err != nil {
			return nil, err
		}
	}
	if f.live {
		notes, err := addLive(cmd.Context(), f.kubeconfig, f.context, objects)
		if err != nil {
			return nil, err
		}
		for _, note := range notes {
			fmt.Fprintf(cmd.ErrOrStderr(), "draconform: %s\n", note)
		}
	}
	return objects, nil
}

// nodes returns the nodes to try. The node that --node names need not exist if
// there are no Node objects at all.
func (f *allocateFlags) nodes(objects *state.Objects) ([]*corev1.Node, error) {
	all := objects.AllNodes()
	if f.node == "" {
		if len(all) == 0 {
			return nil, errors.New("no nodes: no Node objects and no node names in slices, use --node")
		}
		return all, nil
	}
	i := slices.IndexFunc(all, func(node *corev1.Node) bool { return node.Name == f.node })
	switch {
	case i >= 0:
		return all[i : i+1], nil
	case len(objects.Nodes) > 0:
		return nil, fmt.Errorf("node %q does not exist", f.node)
	default:
		return []*corev1.Node{state.NamedNode(f.node)}, nil
	}
}

// pods returns the claims to allocate. The claims of one pod are grouped.
func (f *allocateFlags) pods(objects *state.Objects) ([][]*resourceapi.ResourceClaim, error) {
	claims := objects.Pending()
	if len(f.claims) > 0 {
		claims = nil
		for _, name := range f.claims {
			i := slices.IndexFunc(objects.Claims, func(c *resourceapi.ResourceClaim) bool { return diagnose.ClaimName(c) == name })
			switch {
			case i < 0:
				return nil, fmt.Errorf("ResourceClaim %q does not exist, use NAMESPACE/NAME", name)
			case objects.Claims[i].Status.Allocation != nil:
				return nil, fmt.Errorf("ResourceClaim %q is already allocated", name)
			}
			claims = append(claims, objects.Claims[i])
		}
	}
	if len(claims) == 0 {
		return nil, errors.New("no ResourceClaim to allocate")
	}
	if f.together {
		return [][]*resourceapi.ResourceClaim{claims}, nil
	}
	var pods [][]*resourceapi.ResourceClaim
	for _, claim := range claims {
		pods = append(pods, []*resourceapi.ResourceClaim{claim})
	}
	return pods, nil
}
