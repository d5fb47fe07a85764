package main

import (
	"encoding/json"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	defaults "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/draconform/draconform/allocator/scheduler"
)

// useByDefault makes our plugin a default plugin in place of DynamicResources: at the same position of every
// extension point, with the same weight and the same arguments. That holds for the profile that kube-scheduler
// has without a configuration, and for those of a configuration, unless they enable or disable one of the two
// plugins themselves; such profiles are taken as they are written.
func useByDefault(s *runtime.Scheme) {
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
		for i := range config.Profiles {
			if !explicit[i] {
				substitute(&config.Profiles[i])
			}
		}
	})
}

// namesPlugin tells whether one of the two plugins is enabled or disabled at any extension point.
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

// substitute puts our plugin where the defaults have DynamicResources.
func substitute(profile *configv1.KubeSchedulerProfile) {
	enabled := profile.Plugins.MultiPoint.Enabled
	i := slices.IndexFunc(enabled, func(p configv1.Plugin) bool { return p.Name == names.DynamicResources })
	if i < 0 {
		return // The release that is emulated has no DRA, or all defaults are off.
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

// arguments are those of DynamicResources under our name.
func arguments(args *configv1.DynamicResourcesArgs) runtime.RawExtension {
	raw, err := json.Marshal(scheduler.Args{FilterTimeout: args.FilterTimeout, BindingTimeout: args.BindingTimeout})
	if err != nil {
		panic(err) // Two durations can always be written.
	}
	return runtime.RawExtension{Raw: raw}
}
