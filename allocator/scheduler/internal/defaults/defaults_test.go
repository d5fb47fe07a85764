// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package defaults_test

import (
	"os"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/draconform/draconform/allocator/scheduler"
	"github.com/draconform/draconform/allocator/scheduler/internal/defaults"
)

var upstream *kubeschedulerconfig.KubeSchedulerConfiguration

func TestMain(m *testing.M) {
	var err error
	if upstream, err = latest.Default(); err != nil {
		panic(err)
	}
	defaults.UseOurs(scheme.Scheme)
	os.Exit(m.Run())
}

func enabled(profile kubeschedulerconfig.KubeSchedulerProfile) []string {
	var list []string
	for _, p := range profile.Plugins.MultiPoint.Enabled {
		list = append(list, p.Name)
	}
	return list
}

func TestWithoutConfigurationOurPluginReplacesDynamicResources(t *testing.T) {
	g := NewWithT(t)
	config, err := latest.Default()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.Profiles).To(HaveLen(1))
	want := slices.Clone(upstream.Profiles[0].Plugins.MultiPoint.Enabled)
	i := slices.IndexFunc(want, func(p kubeschedulerconfig.Plugin) bool { return p.Name == names.DynamicResources })
	g.Expect(i).To(BeNumerically("<", slices.IndexFunc(want, func(p kubeschedulerconfig.Plugin) bool { return p.Name == names.DefaultPreemption })))
	want[i].Name = scheduler.Name
	g.Expect(config.Profiles[0].Plugins.MultiPoint.Enabled).To(Equal(want))
	g.Expect(argsOf(config.Profiles[0], scheduler.Name)).To(MatchJSON(`{"filterTimeout": "10s", "bindingTimeout": "10m0s"}`))
	g.Expect(argsOf(config.Profiles[0], names.DynamicResources)).To(BeEmpty())
}

// argsOf returns the arguments of a plugin as the framework will pass them.
func argsOf(profile kubeschedulerconfig.KubeSchedulerProfile, plugin string) string {
	for _, c := range profile.PluginConfig {
		if c.Name == plugin {
			if unknown, ok := c.Args.(*runtime.Unknown); ok {
				return string(unknown.Raw)
			}
			return "typed"
		}
	}
	return ""
}

func TestConfigurationsOfUsers(t *testing.T) {
	for name, tc := range map[string]struct {
		profile       string
		ours, theirs  bool
		args          string
		theirArgument string
	}{
		"without plugins": {profile: "{schedulerName: x}", ours: true, args: `{"filterTimeout": "10s", "bindingTimeout": "10m0s"}`},
		"about another plugin": {
			profile: "{schedulerName: x, plugins: {multiPoint: {disabled: [{name: ImageLocality}]}}}",
			ours:    true, args: `{"filterTimeout": "10s", "bindingTimeout": "10m0s"}`,
		},
		"arguments for DynamicResources": {
			profile: "{schedulerName: x, pluginConfig: [{name: DynamicResources, args: {filterTimeout: 3s}}]}",
			ours:    true, args: `{"filterTimeout": "3s", "bindingTimeout": "10m0s"}`,
		},
		"arguments for our plugin": {
			profile: "{schedulerName: x, pluginConfig: [{name: DraconformResources, args: {filterTimeout: 4s}}]}",
			ours:    true, args: `{"filterTimeout": "4s"}`,
		},
		"explicitly upstream's": {
			profile: "{schedulerName: x, plugins: {multiPoint: {enabled: [{name: DynamicResources}]}}}",
			theirs:  true, theirArgument: "typed",
		},
		"explicitly none": {
			profile: "{schedulerName: x, plugins: {multiPoint: {disabled: [{name: DynamicResources}]}}}",
		},
		"explicitly ours": {
			profile: "{schedulerName: x, plugins: {multiPoint: {disabled: [{name: DynamicResources}], enabled: [{name: DraconformResources}]}}}",
			ours:    true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [" + tc.profile + "]\n"
			object, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
			g.Expect(err).NotTo(HaveOccurred())
			profile := object.(*kubeschedulerconfig.KubeSchedulerConfiguration).Profiles[0]
			g.Expect(slices.Contains(enabled(profile), scheduler.Name)).To(Equal(tc.ours), "ours")
			g.Expect(slices.Contains(enabled(profile), names.DynamicResources)).To(Equal(tc.theirs), "theirs")
			if tc.args != "" {
				g.Expect(argsOf(profile, scheduler.Name)).To(MatchJSON(tc.args))
			}
			g.Expect(argsOf(profile, names.DynamicResources)).To(Equal(tc.theirArgument))
		})
	}
}
