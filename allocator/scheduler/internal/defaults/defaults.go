// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package defaults makes our plugin a default plugin of kube-scheduler. It does
// not import the command kube-scheduler, so its tests compile fast.
package defaults

import (
	"encoding/json"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	defaults "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/scheduler"
	"github.com/draconform/draconform/internal/variant"
)

// UseOurs replaces DynamicResources by our plugin among the default plugins: at the same position of
// every extension point, with the same weight and the same arguments. This applies to the profile that
// kube-scheduler has without a configuration, and to the profiles of a configuration. Profiles that enable or
// disable one of the two plugins are not changed.
func UseOurs(s *runtime.Scheme) {
	s.AddTypeDefaultingFunc(&configv1.KubeSchedulerConfiguration{}, func(object any) {
		config, ok := object.(*configv1.KubeSchedulerConfiguration)
		if !ok {
			return
		}
		explicit := make([]bool, max(1, len(config.Profiles)))
		for i := range config.Profiles {
			explicit[i] = namesPlugin(config.Profiles[i].Plugins)
		}
		defaults.SetObjectDefaults_KubeSchedulerConfiguration(config)
		changeBackoff(config)
		for i := range config.Profiles {
			if !explicit[i] {
				substitute(&config.Profiles[i])
			}
		}
	})
}

// changeBackoff sets the time between attempts for a pod that variants of the scheduler have.
func changeBackoff(config *configv1.KubeSchedulerConfiguration) {
	switch {
	case variant.RetriesSoon:
		config.PodInitialBackoffSeconds, config.PodMaxBackoffSeconds = ptr.To[int64](1), ptr.To[int64](1)
	case variant.RetriesLate:
		config.PodInitialBackoffSeconds, config.PodMaxBackoffSeconds = ptr.To[int64](10), ptr.To[int64](30)
	}
}

// namesPlugin reports whether one of the two plugins is enabled or disabled at any extension point.
func namesPlugin(plugins *configv1.Plugins) bool {
	if plugins == nil {
		return false
	}
	ours := func(p configv1.Plugin) bool { return p.Name == scheduler.Name || p.Name == names.DynamicResources }
	for _, point := range reflect.ValueOf(*plugins).Fields() {
		set, ok := reflect.TypeAssert[configv1.PluginSet](point)
		if ok && (slices.ContainsFunc(set.Enabled, ours) || slices.ContainsFunc(set.Disabled, ours)) {
			return true
		}
	}
	return false
}

// substitute replaces DynamicResources by our plugin in a profile with defaults.
func substitute(profile *configv1.KubeSchedulerProfile) {
	enabled := profile.Plugins.MultiPoint.Enabled
	i := slices.IndexFunc(enabled, func(p configv1.Plugin) bool { return p.Name == names.DynamicResources })
	if i < 0 {
		return // The emulated release has no DRA, or all defaults are disabled.
	}
	enabled[i].Name = scheduler.Name
	own := slices.ContainsFunc(profile.PluginConfig, func(c configv1.PluginConfig) bool { return c.Name == scheduler.Name })
	profile.PluginConfig = slices.DeleteFunc(profile.PluginConfig, func(c configv1.PluginConfig) bool {
		return own && c.Name == names.DynamicResources
	})
	for i := range profile.PluginConfig {
		c := &profile.PluginConfig[i]
		if args, ok := c.Args.Object.(*configv1.DynamicResourcesArgs); ok {
			c.Name, c.Args = scheduler.Name, arguments(args)
		}
	}
}

// arguments converts the arguments of DynamicResources to those of our plugin.
func arguments(args *configv1.DynamicResourcesArgs) runtime.RawExtension {
	raw, err := json.Marshal(scheduler.Args{FilterTimeout: args.FilterTimeout, BindingTimeout: args.BindingTimeout})
	if err != nil {
		panic(err) // Unreachable: two durations can always be encoded.
	}
	return runtime.RawExtension{Raw: raw}
}
