// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"net/netip"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// Args are the plugin's arguments in pluginConfig of a KubeSchedulerConfiguration.
type Args struct {
	metav1.TypeMeta `json:",inline"`

	// FilterTimeout bounds how long Filter searches one node for devices. A node that takes longer is unschedulable
	// for the pod. Default 10s; 0 means no bound.
	FilterTimeout *metav1.Duration `json:"filterTimeout,omitempty"`
	// BindingTimeout bounds how long a pod waits for the binding conditions of its devices, measured from their
	// allocation. Default 10m, at least 1s.
	BindingTimeout *metav1.Duration `json:"bindingTimeout,omitempty"`
	// SharingAffinity enables sharing affinities (KEP-5981), which a slice declares for its devices in the annotation
	// draconform.dev/sharing-affinity. Such a device is allocated only to claims that state its affinity values, and
	// never to two claims with different values. Devices that are locked to the values of a claim are preferred over
	// clean ones. Default true. It has no effect on devices without a declaration.
	SharingAffinity *bool `json:"sharingAffinity,omitempty"`
	// DebugAddress, such as 127.0.0.1:10270, is the address that serves the full explanations of why pods found no
	// devices, under /debug/draconform/pods/<namespace>/<name>. It must be a loopback address, because requests are
	// not authenticated. Default empty: nothing is served.
	DebugAddress string `json:"debugAddress,omitempty"`
}

const (
	defaultFilterTimeout  = 10 * time.Second
	defaultBindingTimeout = 10 * time.Minute
	minBindingTimeout     = time.Second
)

// parseArgs parses the arguments that the framework passes to a plugin without a registered type: nil, or the raw
// configuration. Unknown fields are errors.
func parseArgs(object runtime.Object) (Args, error) {
	var args Args
	switch o := object.(type) {
	case nil:
	case *runtime.Unknown:
		if err := yaml.UnmarshalStrict(o.Raw, &args); err != nil {
			return Args{}, err
		}
	default:
		return Args{}, fmt.Errorf("unexpected type %T", object)
	}
	if args.FilterTimeout == nil {
		args.FilterTimeout = &metav1.Duration{Duration: defaultFilterTimeout}
	}
	if args.BindingTimeout == nil {
		args.BindingTimeout = &metav1.Duration{Duration: defaultBindingTimeout}
	}
	if args.SharingAffinity == nil {
		args.SharingAffinity = ptr.To(true)
	}
	if d := args.FilterTimeout.Duration; d < 0 {
		return Args{}, fmt.Errorf("filterTimeout %s is negative", d)
	}
	if d := args.BindingTimeout.Duration; d < minBindingTimeout {
		return Args{}, fmt.Errorf("bindingTimeout %s is less than %s", d, minBindingTimeout)
	}
	if args.DebugAddress != "" {
		if address, err := netip.ParseAddrPort(args.DebugAddress); err != nil || !address.Addr().IsLoopback() {
			return Args{}, fmt.Errorf("debugAddress %q is no loopback address with a port, such as 127.0.0.1:10270", args.DebugAddress)
		}
	}
	return args, nil
}
