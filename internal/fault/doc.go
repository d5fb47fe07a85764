// Package fault makes schedulers and drivers that are broken on purpose, each in
// one small way, to see that some spec fails because of it.
//
// Code that can be broken asks whether one of the faults here is on. They are
// constants, all of them false, so that the compiler leaves out what they guard:
// nothing of this package is in any program. Only with the build tag [Tag] they
// are variables, of which the one that is named by the environment variable
// [Variable] is true. A name that is not known ends the program at once.
//
// What each of them does, and which specs must fail then, is written in
// hack/mutants/faults.yaml. The name there is that of the identifier here in
// lower case with dashes between its words.
package fault

const (
	// Breaks is the environment variable that has a command built with Tag break
	// one of the suite's images: scheduler or driver, an equals sign, and the fault.
	Breaks = "DRACONFORM_BREAKS"
	// Tag is the build tag of programs that can be broken.
	Tag = "draconform_faults"
	// Variable is the environment variable that names the fault that is on.
	// Without it there is none.
	Variable = "DRACONFORM_FAULT"
)
