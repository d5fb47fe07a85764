// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// foreign are the drivers of driver files. They run in the cluster, and the run
// does with them only what the files allow.
type foreign struct {
	*runner
	of     subject.Subject
	noView string // why claims in use are unknown, or empty
	// usable has the number of nodes that pods with devices of a driver can run
	// on, by driver.
	usable map[string]int
	// used are the names of the drivers that specs use.
	used []string
	// created are the names of the device classes that the run may have created.
	created []string
	// changed are the DaemonSets whose image the run has changed.
	changed map[string]*imageChange
}

var (
	_ drivers            = &foreign{}
	_ operations.Drivers = &foreign{}
)

// foreign returns the drivers of the driver files.
func (r *runner) foreign(ctx context.Context) (*foreign, error) {
	of, err := subject.OfRun(r.suffix, r.described...)
	if err != nil {
		return nil, err
	}
	noView, err := r.lacksClaimsInUse(ctx)
	if err != nil {
		return nil, err
	}
	usable, err := r.countUsableNodes(ctx, of)
	if err != nil {
		return nil, err
	}
	return &foreign{runner: r, of: of, noView: noView, usable: usable, changed: map[string]*imageChange{}}, nil
}

// addTo implements [drivers].
func (f *foreign) addTo(target *env.Target) {
	target.Subject, target.Drivers, target.Usable, target.GivenNamespace = f.of, f, f.usable, f.Namespace != ""
}

// use implements [drivers].
func (f *foreign) use(_ context.Context, specs []suite.Spec) error {
	f.used = driversOf(f.of, specs)
	return nil
}

// reportSubject implements [drivers].
func (f *foreign) reportSubject() report.Subject {
	var used []*driverfile.Driver
	for _, driver := range f.used {
		used = append(used, f.driver(driver))
	}
	return report.Subject{Drivers: append([]string{}, f.used...), Implementations: report.Implementations(used)}
}

// install implements [drivers]. It creates the inline classes of the driver
// files. That the drivers run was checked before.
func (f *foreign) install(ctx context.Context, specs []suite.Spec) error {
	f.used = driversOf(f.of, specs)
	for i := range f.of.Classes {
		class := f.of.Classes[i].DeepCopy()
		class.Labels = f.labels()
		_, err := f.client.ResourceV1().DeviceClasses().Create(ctx, class, metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			f.created = append(f.created, class.Name)
		}
		if err != nil {
			return fmt.Errorf("create device class %s of a driver file: %w", class.Name, err)
		}
	}
	return nil
}

// restore implements [drivers].
func (f *foreign) restore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	var errs []error
	for driver := range f.changed {
		errs = append(errs, f.restoreImage(ctx, f.driver(driver)))
	}
	return errors.Join(errs...)
}

// uninstall implements [drivers].
func (f *foreign) uninstall(ctx context.Context) error {
	errs := []error{f.restore(ctx)}
	if f.Keep {
		return errors.Join(errs...)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	for _, name := range f.created {
		if err := f.client.ResourceV1().DeviceClasses().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete device class %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// driver returns the driver file of a driver, or nil.
func (f *foreign) driver(name string) *driverfile.Driver {
	for _, d := range f.described {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Lacks implements [operations.Drivers].
func (f *foreign) Lacks(driver string, operation operations.DriverOperation) string {
	d := f.driver(driver)
	switch {
	case operation == operations.ClaimsInUse:
		return f.noView
	case operation == operations.Restart && (d.DaemonSet == nil || !d.Allow.Restart):
		return "needs to restart the driver: " + lacksPermission(d, "allow.restart")
	case operation == operations.Update && (d.DaemonSet == nil || d.Allow.Update == nil):
		return "needs to update the driver: " + lacksPermission(d, "allow.update")
	case operation == operations.ReadLogs && (d.DaemonSet == nil || !d.Allow.Logs):
		return "needs to read the logs of the driver: " + lacksPermission(d, "allow.logs")
	case operation == operations.Restart, operation == operations.Update, operation == operations.ReadLogs:
		return ""
	}
	return fmt.Sprintf("needs to control the driver (%s), which is only possible with the fake drivers", operation)
}

// lacksPermission names what to add to a driver file in order to allow an operation.
func lacksPermission(d *driverfile.Driver, permission string) string {
	if d.DaemonSet == nil {
		return fmt.Sprintf("add daemonSet and %s to %s", permission, d.Position("allow"))
	}
	return fmt.Sprintf("add %s to %s", permission, d.Position("allow"))
}

// errControl is returned for operations that only fake drivers offer.
var errControl = errors.New("only possible with the fake drivers")

// Control implements [operations.Drivers].
func (f *foreign) Control(context.Context, string, string) (operations.Driver, error) {
	return nil, errControl
}

// Stop implements [operations.Drivers].
func (f *foreign) Stop(context.Context, string, string) error { return errControl }

// Start implements [operations.Drivers].
func (f *foreign) Start(context.Context, string, string) error { return errControl }
