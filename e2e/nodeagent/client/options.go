// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package client installs node agents in a cluster, and is their client.
package client

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/nodeagent/agent"
)

// Options describe the agents of a run.
type Options struct {
	// RunID is the value of the run's label, required. All objects have it.
	RunID string
	// Namespace is the namespace of the agents, required. Install creates it,
	// because the pods need the privileged pod security level.
	Namespace string
	// Image is the image of the agents. Default: the suite's image, which must
	// be present on the nodes.
	Image string
	// Drivers are the names of the drivers that the agents may call, required.
	Drivers []string
	// KubeletDir is the root directory of the kubelets. Default:
	// /var/lib/kubelet.
	KubeletDir string
}

// complete validates the options and returns them with defaults.
func (o Options) complete() (Options, error) {
	o.Image = cmp.Or(o.Image, images.NodeAgent.Ref)
	o.KubeletDir = path.Clean(cmp.Or(o.KubeletDir, agent.KubeletDir))
	switch {
	case o.RunID == "" || len(validation.IsValidLabelValue(o.RunID)) > 0:
		return o, fmt.Errorf("node agent: %q is not a valid run id, it must be a label value", o.RunID)
	case len(validation.IsDNS1123Label(o.Namespace)) > 0:
		return o, fmt.Errorf("node agent: %q is not a valid namespace", o.Namespace)
	case len(o.Drivers) == 0:
		return o, errors.New("node agent: there is no driver to call")
	case !path.IsAbs(o.KubeletDir):
		return o, fmt.Errorf("node agent: the directory of the kubelet %q is not an absolute path", o.KubeletDir)
	}
	for _, driver := range o.Drivers {
		if len(validation.IsDNS1123Subdomain(driver)) > 0 {
			return o, fmt.Errorf("node agent: %q is not the name of a driver", driver)
		}
	}
	return o, nil
}

func (o Options) labels() map[string]string {
	return map[string]string{engine.RunLabel: o.RunID, "app.kubernetes.io/component": "node-agent"}
}

// podName returns the name of the agent's pod on a node. Names of nodes may be
// longer than what a label or a host name can have.
func podName(node string) string {
	sum := sha256.Sum256([]byte(node))
	return "node-agent-" + hex.EncodeToString(sum[:])[:12]
}
