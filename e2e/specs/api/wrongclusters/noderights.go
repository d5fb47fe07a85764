// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongNodeRights are clusters whose API server gives kubelets too many rights, or too few.
var wrongNodeRights = wrong.Table{
	"kubelets may delete slices of other nodes": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Verb == "delete" && r.Slice != nil && r.Slice.Spec.NodeName != nil
		}),
		Spec: "node-rights-on-slices", Want: []string{"should not have the right to delete slice"},
	},
	"kubelets can create slices of other nodes": {
		Options: misadmitsNodes(func(w *fakecluster.NodeWrite, admitted bool) bool {
			return admitted || w.Slice != nil && w.Slice.Spec.NodeName != nil
		}),
		Spec: "node-writes-are-restricted", Want: []string{"should not be able to create a slice of node"},
	},
	"kubelets can create slices of all nodes": {
		Options: misadmitsNodes(func(w *fakecluster.NodeWrite, admitted bool) bool {
			return admitted || w.Slice != nil && w.Slice.Spec.NodeName == nil
		}),
		Spec: "node-writes-are-restricted", Want: []string{"should not be able to create a slice of all nodes"},
	},
	"kubelets cannot create slices": {
		Options: misadmitsNodes(func(w *fakecluster.NodeWrite, admitted bool) bool { return admitted && w.Slice == nil }),
		Spec:    "node-writes-are-restricted", Want: []string{"should be able to create a slice of its node"},
	},
	"kubelets can create mirror pods with claims": {
		Options: misadmitsNodes(func(w *fakecluster.NodeWrite, admitted bool) bool { return admitted || w.Resource == "pods" }),
		Spec:    "node-writes-are-restricted", Want: []string{"should not be able to create a mirror pod with a claim"},
	},
	"kubelets can create mirror pods with templates of claims": {
		Options: misadmitsNodes(func(w *fakecluster.NodeWrite, admitted bool) bool {
			return admitted || w.Resource == "pods" && w.Pod.Spec.ResourceClaims[0].ResourceClaimName == nil
		}),
		Spec: "node-writes-are-restricted", Want: []string{"should not be able to create a mirror pod with a template of a claim"},
	},
	"kubelets can replace generated claims": {
		Options: misadmitsNodes(func(w *fakecluster.NodeWrite, admitted bool) bool { return admitted || w.Resource == "pods/status" }),
		Spec:    "node-writes-are-restricted", Want: []string{"should not be able to replace the generated claim of a pod on its node"},
	},
	"an API server that restricts kubelets": {Spec: "node-writes-are-restricted", Outcome: suite.Passed},
	"kubelets may delete slices of all nodes": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Verb == "delete" && r.Slice != nil && r.Slice.Spec.NodeName == nil
		}),
		Spec: "node-rights-on-slices", Want: []string{"should not have the right to delete slice"},
	},
	"kubelets may list slices of any node": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Resource == "resourceslices" && r.Verb == "list" && r.OfNode != ""
		}),
		Spec: "node-rights-on-slices", Want: []string{"should not have the right to list slices of node"},
	},
	"kubelets may delete all slices at once": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Verb == "deletecollection" && r.OfNode == ""
		}),
		Spec: "node-rights-on-slices", Want: []string{"should not have the right to deletecollection all slices"},
	},
	"kubelets may not list slices": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool { return allowed && r.Verb != "list" }),
		Spec:    "node-rights-on-slices", Want: []string{"should have the right to list slices of node"},
	},
	"kubelets may get the claims of all nodes": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Resource == "resourceclaims" && r.Verb == "get" && len(r.Users) > 0
		}),
		Spec: "node-rights-on-claims", Want: []string{"should not have the right to get claim there"},
	},
	"kubelets may get unused claims": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Resource == "resourceclaims" && r.Verb == "get" && len(r.Users) == 0
		}),
		Spec: "node-rights-on-claims", Want: []string{"should not have the right to get claim unused"},
	},
	"kubelets may not get generated claims": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed && !(r.Resource == "resourceclaims" && !slices.Contains([]string{"here", "there"}, r.Name))
		}),
		Spec: "node-rights-on-claims", Want: []string{"should have the right to get claim pod-entry"},
	},
	"kubelets may delete the claims of their pods": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Resource == "resourceclaims" && r.Verb == "delete"
		}),
		Spec: "node-rights-on-claims", Want: []string{"should not have the right to delete claim here"},
	},
	"kubelets may list all claims": {
		Options: misauthorizesNodes(func(r *fakecluster.NodeRequest, allowed bool) bool {
			return allowed || r.Resource == "resourceclaims" && r.Verb == "list"
		}),
		Spec: "node-rights-on-claims", Want: []string{"should not have the right to list all claims"},
	},
}

// withoutNodeRights are clusters that do not authorize kubelets by their nodes.
var withoutNodeRights = wrong.Table{
	"API server has no node authorizer": {
		Options: fakecluster.Options{WithoutNodeRights: true}, Spec: "node-rights-on-slices", Outcome: suite.NotApplicable,
		Want: []string{"needs an API server that authorizes kubelets by their nodes", "may get its node: false"},
	},
	"API server lets kubelets do everything": {
		Options: misauthorizesNodes(func(*fakecluster.NodeRequest, bool) bool { return true }), Spec: "node-rights-on-claims", Outcome: suite.NotApplicable,
		Want: []string{"list all secrets: true"},
	},
	"API server has no node authorizer that restricts writes": {
		Options: fakecluster.Options{WithoutNodeRights: true}, Spec: "node-writes-are-restricted", Outcome: suite.NotApplicable,
		Want: []string{"needs an API server that authorizes kubelets by their nodes"},
	},
	"API server admits all writes of kubelets": {
		Options: misadmitsNodes(func(*fakecluster.NodeWrite, bool) bool { return true }), Spec: "node-writes-are-restricted", Outcome: suite.NotApplicable,
		Want: []string{"needs an API server with the admission plugin NodeRestriction"},
	},
	"user may not act as a kubelet": {
		Options: fakecluster.Options{WithoutImpersonation: true}, Spec: "node-writes-are-restricted", Outcome: suite.NotApplicable,
		Want: []string{"needs the right to act as the kubelet of node"},
	},
}

// misauthorizesNodes returns the options of a cluster whose API server decides otherwise what kubelets
// may do.
func misauthorizesNodes(decide func(r *fakecluster.NodeRequest, allowed bool) bool) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{MisauthorizesNodes: decide})
}

// misadmitsNodes returns the options of a cluster whose API server decides otherwise which writes of
// kubelets it admits.
func misadmitsNodes(decide func(w *fakecluster.NodeWrite, admitted bool) bool) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{MisadmitsNodes: decide})
}
