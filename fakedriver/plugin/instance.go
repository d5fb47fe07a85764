// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	metadatav1alpha1 "k8s.io/dynamic-resource-allocation/api/metadata/v1alpha1"
	metadatav1beta1 "k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/kubelet"
	"github.com/draconform/draconform/internal/fault"
)

// instance is one running driver.
type instance struct {
	ctx    context.Context // canceled by close
	cancel context.CancelFunc
	config Config
	name   string
	dir    string
	damage []string

	store        *claims.Store
	kubelet      *kubelet.Interposer
	recorder     *calls.Recorder
	health       *health
	pool         *pool
	publication  *publication
	registration *registration
	service      *kubeletplugin.Helper
	// stopRegistering ends what register started.
	stopRegistering func()

	// changing is held while the publication changes.
	changing sync.Mutex
}

// startInstance starts a driver. The driver publishes its saved state, or the
// preset if there is none. It calls fail when it encounters an error that is
// not recoverable.
func startInstance(parent context.Context, config Config, name, dir string, preset control.Published, fail context.CancelCauseFunc) (*instance, error) {
	published, damage, err := loadState(dir, preset, func(published control.Published) error {
		_, err := compile(config, published)
		return err
	})
	if err != nil {
		return nil, err
	}
	compiled := &content{inventory: &describe.Inventory{}}
	if isKnown(published) {
		if compiled, err = compile(config, published); err != nil {
			return nil, err
		}
	}
	ctx := klog.NewContext(parent, klog.FromContext(parent).WithValues("driver", name))
	ctx, cancel := context.WithCancel(ctx)
	i := &instance{ctx: ctx, cancel: cancel, config: config, name: name, dir: dir, kubelet: &kubelet.Interposer{}, recorder: &calls.Recorder{}, stopRegistering: func() {}}
	if damage != "" {
		klog.FromContext(ctx).Error(nil, "Renamed a corrupt file", "reason", damage)
		i.damage = append(i.damage, damage)
	}
	if err := i.start(compiled, fail); err != nil {
		i.close()
		return nil, err
	}
	if isKnown(published) {
		if err := i.publication.change(ctx, published, compiled); err != nil {
			// The driver can serve the kubelet before it has published its
			// devices.
			klog.FromContext(ctx).Error(err, "Could not publish the saved devices yet")
			i.publication.resume(published, compiled)
		}
	}
	klog.FromContext(ctx).Info("Started", "node", config.NodeName)
	return i, nil
}

// start starts everything except the publication.
func (i *instance) start(compiled *content, fail context.CancelCauseFunc) (err error) {
	i.pool = newPool(i.ctx, i.config, i.name)
	i.publication = newPublication(i.ctx, i.config, i.name, i.pool)
	i.registration = &registration{registered: i.kubelet.Registered}
	i.health = newHealth(compiled.pool(i.config.NodeName), compiled.devices(), compiled.unwatched()...)
	i.store, err = claims.Open(i.ctx, claims.Config{
		Driver:          i.name,
		Source:          i.source(compiled),
		DataDir:         i.dir,
		OlderCheckpoint: i.config.OlderCheckpoint,
		Shared:          i.config.PodUID != "",
		CDIDir:          i.config.CDIDir,
		Affinity:        i.rules,
		InUse:           i.inUse,
	})
	if err != nil {
		return err
	}
	i.damage = append(i.damage, i.store.Damage()...)
	driver := &driver{store: i.store, health: i.health, dropped: i.publication.dropped, fail: fail}
	if i.config.DeviceStatus && !fault.WritesNoDeviceStatus {
		driver.status = &statusWriter{driver: i.name, client: i.config.Client}
	}
	i.pool.handleError = driver.HandleError
	i.registration.start = func(intercept kubeletplugin.Option) (*kubeletplugin.Helper, error) {
		return kubeletplugin.Start(i.ctx, driver, append(i.options(), kubeletplugin.DRAService(false), intercept)...)
	}
	i.service, err = kubeletplugin.Start(i.ctx, driver, append(i.options(), kubeletplugin.RegistrationService(false),
		kubeletplugin.GRPCStreamInterceptor(i.recorder.InterceptStream))...)
	if err != nil {
		return fmt.Errorf("start kubelet plugin: %w", err)
	}
	return i.register()
}

// options returns the options that the DRA service and the registration service
// have in common. The two services are started and stopped separately.
func (i *instance) options() []kubeletplugin.Option {
	return []kubeletplugin.Option{
		kubeletplugin.DriverName(i.name),
		kubeletplugin.NodeName(i.config.NodeName),
		kubeletplugin.RollingUpdate(i.config.PodUID),
		kubeletplugin.KubeClient(i.config.Client),
		kubeletplugin.PluginDataDirectoryPath(i.dir),
		kubeletplugin.RegistrarDirectoryPath(i.config.RegistryDir),
		kubeletplugin.CDIDirectory(i.config.CDIDir),
		// A call at a time is the default. The faults are in how calls at the same time share files.
		kubeletplugin.Serialize(!fault.LosesParallelClaims && !fault.ForgetsParallelUnprepares),
		kubeletplugin.MetadataFileOps(kubeletplugin.MetadataFileOperations{WriteFile: misdescribing()}),
		// A consumer uses the first version that it supports.
		kubeletplugin.EnableDeviceMetadata(i.config.DeviceMetadata,
			[]schema.GroupVersion{metadatav1beta1.SchemeGroupVersion, metadatav1alpha1.SchemeGroupVersion}),
		kubeletplugin.GRPCInterceptor(i.kubelet.Intercept(i.recorder.Intercept)),
		kubeletplugin.GRPCInterceptor(ignoreOlderUnprepare),
	}
}

// undoTimeout limits the time for restoring the earlier state after a request
// failed.
const undoTimeout = 10 * time.Second

// publish changes what the driver publishes. If that fails, it publishes the
// earlier state again.
func (i *instance) publish(ctx context.Context, published control.Published) error {
	i.changing.Lock()
	defer i.changing.Unlock()
	before, _ := i.publication.current()
	err := i.change(ctx, setTimeAdded(published))
	if err == nil || errors.Is(err, errUnchanged) || !isKnown(before) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return errors.Join(err, i.change(ctx, before))
}

// errUnchanged indicates that a request failed before it changed anything.
var errUnchanged = errors.New("nothing was changed")

// change saves the new state before it publishes it. A process that terminates
// in between publishes the new state after its restart.
func (i *instance) change(ctx context.Context, published control.Published) error {
	compiled, err := compile(i.config, published)
	if err == nil {
		err = saveState(i.dir, published)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errUnchanged, err)
	}
	i.store.SetSource(i.source(compiled))
	i.health.setDevices(compiled.pool(i.config.NodeName), compiled.devices(), compiled.unwatched()...)
	return i.publication.change(ctx, published, compiled)
}

// status returns the current status of the driver.
func (i *instance) status() control.Status {
	published, pending := i.publication.current()
	status := control.Status{
		Driver:     i.name,
		Published:  published,
		Registered: i.registration.done.Load(),
		Claims:     i.store.Prepared(),
		Partitions: i.store.Partitions(),
		Damage:     i.damage,
	}
	var err error
	if status.Described, err = i.store.Described(); err != nil {
		status.Damage = append(slices.Clone(status.Damage), err.Error())
	}
	if pending != nil {
		status.Pending = pending.Error()
	}
	return status
}

// close stops the driver. Its ResourceSlices are kept.
func (i *instance) close() {
	i.cancel()
	i.publication.end()
	i.pool.halt()
	i.stopRegistering()
	i.registration.withdraw()
	i.service.Stop()
	if i.store != nil {
		i.store.End()
	}
}
