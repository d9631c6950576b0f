//! The types of a component: how many members, how deep, how much when written out in full.
//!
//! Types refer to each other by number, so a few bytes can stand for something enormous. What comes out of an instance under some name
//! is not followed; the engine has caps of its own there. A type that is too much is named by the first name that is given to it.

use wasmparser::{
    ComponentAlias, ComponentDefinedType, ComponentExport, ComponentExternalKind, ComponentFuncType, ComponentImport,
    ComponentOuterAliasKind, ComponentType, ComponentTypeDeclaration, ComponentTypeRef, ComponentValType,
    InstanceTypeDeclaration, SectionLimited, TypeBounds,
};

use crate::prescan::{Excess, Quantity, Stop};

/// Types in all; an interface of the system's size has some hundred.
const MAX_TYPES: u64 = 20_000;
/// Bytes of one section of types. What is read by a parser that calls itself must be small before it is read.
const MAX_TYPE_BYTES: u64 = 256 * 1024;
/// Fields, cases, flags or parameters of one type.
const MAX_MEMBERS: u64 = 500;
/// Types within types.
const MAX_TYPE_DEPTH: u64 = 50;
/// Parts of one type when everything that it refers to is written out.
const MAX_TYPE_PARTS: u64 = 10_000;

/// How much a type is.
#[derive(Debug, Clone, Copy)]
struct Extent {
    depth: u64,
    parts: u64,
}

/// Something without parts, or whose parts are not followed.
const LEAF: Extent = Extent { depth: 1, parts: 1 };

/// A type that is too much and has no name yet.
struct Nameless {
    index: usize,
    excess: Excess,
}

/// The types seen so far, by number, in the scopes that are open.
#[derive(Default)]
pub(super) struct TypeScan {
    count: u64,
    scopes: Vec<Vec<Extent>>,
    nameless: Option<Nameless>,
}

impl TypeScan {
    /// Begins a component.
    pub(super) fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Ends a component. A type that is too much and that nobody named by then stays without a name.
    pub(super) fn leave(&mut self) -> Result<(), Excess> {
        self.scopes.pop();
        match self.nameless.take() {
            Some(nameless) => Err(nameless.excess),
            None => Ok(()),
        }
    }

    pub(super) fn section(&mut self, section: SectionLimited<'_, ComponentType<'_>>) -> Result<(), Stop> {
        let range = section.range();
        Quantity::TypeBytes.check(range.end.saturating_sub(range.start) as u64, MAX_TYPE_BYTES)?;
        for kind in section {
            if let Err(excess) = self.declare(&kind?) {
                let index = self.scopes.last().map_or(0, Vec::len);
                self.push(LEAF);
                self.nameless.get_or_insert(Nameless { index, excess });
            }
        }
        Ok(())
    }

    pub(super) fn imports(&mut self, section: SectionLimited<'_, ComponentImport<'_>>) -> Result<(), Stop> {
        for import in section {
            let import = import?;
            self.name(import.name.name, &import.ty)?;
            self.refer(&import.ty);
        }
        Ok(())
    }

    pub(super) fn exports(&mut self, section: SectionLimited<'_, ComponentExport<'_>>) -> Result<(), Stop> {
        for export in section {
            let export = export?;
            self.export(&export)?;
            if export.kind == ComponentExternalKind::Type {
                self.push(self.at(export.index));
            }
        }
        Ok(())
    }

    /// Names that an instance gives to what it is made of.
    pub(super) fn named(&mut self, exports: &[ComponentExport<'_>]) -> Result<(), Excess> {
        exports.iter().try_for_each(|export| self.export(export))
    }

    pub(super) fn alias(&mut self, alias: &ComponentAlias<'_>) {
        match alias {
            ComponentAlias::Outer {
                kind: ComponentOuterAliasKind::Type,
                count,
                index,
            } => {
                let outer = self.scopes.iter().rev().nth(*count as usize);
                let found = outer.and_then(|scope| scope.get(*index as usize)).copied();
                self.push(found.unwrap_or(LEAF));
            }
            ComponentAlias::InstanceExport {
                kind: ComponentExternalKind::Type,
                ..
            } => self.push(LEAF),
            _ => {}
        }
    }

    fn export(&mut self, export: &ComponentExport<'_>) -> Result<(), Excess> {
        if export.kind == ComponentExternalKind::Type {
            self.name_index(export.name.name, export.index)?;
        }
        Ok(())
    }

    fn name(&mut self, name: &str, of: &ComponentTypeRef) -> Result<(), Excess> {
        match of {
            ComponentTypeRef::Instance(index)
            | ComponentTypeRef::Component(index)
            | ComponentTypeRef::Func(index)
            | ComponentTypeRef::Type(TypeBounds::Eq(index)) => self.name_index(name, *index),
            _ => Ok(()),
        }
    }

    /// Gives the type that is too much its name, if this is it; then there is no more to look for.
    fn name_index(&mut self, name: &str, index: u32) -> Result<(), Excess> {
        match self.nameless.take_if(|nameless| nameless.index == index as usize) {
            Some(mut nameless) => {
                nameless.excess.path.insert(0, name.to_owned());
                Err(nameless.excess)
            }
            None => Ok(()),
        }
    }

    /// Takes a type up under the next number.
    fn declare(&mut self, kind: &ComponentType<'_>) -> Result<(), Excess> {
        self.count += 1;
        Quantity::Types.check(self.count, MAX_TYPES)?;
        let extent = match kind {
            ComponentType::Defined(defined) => self.defined(defined)?,
            ComponentType::Func(function) => self.function(function)?,
            ComponentType::Instance(declarations) => self.within(declarations, instance_part)?,
            ComponentType::Component(declarations) => self.within(declarations, component_part)?,
            ComponentType::Resource { .. } => LEAF,
        };
        self.push(extent);
        Ok(())
    }

    /// The declarations of an instance's or a component's type, which have numbers of their own. Depth is that of scopes here.
    fn within<'a, D>(&mut self, declarations: &[D], part: impl Fn(&D) -> Part<'_, 'a>) -> Result<Extent, Excess> {
        Quantity::TypeDepth.check(self.scopes.len() as u64, MAX_TYPE_DEPTH)?;
        self.scopes.push(Vec::new());
        let mut walk = || {
            for (at, declaration) in declarations.iter().enumerate() {
                match part(declaration) {
                    Part::Type(kind) => {
                        let index = self.scopes.last().map_or(0, Vec::len);
                        self.declare(kind)
                            .map_err(|excess| named_after(excess, index, declarations.get(at..), &part))?;
                    }
                    Part::Alias(alias) => self.alias(alias),
                    Part::Named(_, reference) => self.refer(reference),
                    Part::Other => {}
                }
            }
            Ok(LEAF)
        };
        let extent = walk();
        self.scopes.pop();
        extent
    }

    /// An import or export of a type gives it one more number.
    fn refer(&mut self, reference: &ComponentTypeRef) {
        match reference {
            ComponentTypeRef::Type(TypeBounds::Eq(index)) => self.push(self.at(*index)),
            ComponentTypeRef::Type(TypeBounds::SubResource) => self.push(LEAF),
            _ => {}
        }
    }

    fn function(&self, function: &ComponentFuncType<'_>) -> Result<Extent, Excess> {
        let params = function.params.iter().map(|(_, kind)| Some(*kind));
        self.members(params.chain([function.result]))
    }

    fn defined(&self, kind: &ComponentDefinedType<'_>) -> Result<Extent, Excess> {
        match kind {
            ComponentDefinedType::Record(fields) => self.members(fields.iter().map(|(_, kind)| Some(*kind))),
            ComponentDefinedType::Variant(cases) => self.members(cases.iter().map(|case| case.ty)),
            ComponentDefinedType::Tuple(kinds) => self.members(kinds.iter().map(|kind| Some(*kind))),
            ComponentDefinedType::Flags(names) | ComponentDefinedType::Enum(names) => {
                self.members(names.iter().map(|_| None))
            }
            ComponentDefinedType::Result { ok, err } => self.members([*ok, *err].into_iter()),
            ComponentDefinedType::Map(key, value) => self.members([Some(*key), Some(*value)].into_iter()),
            ComponentDefinedType::List(kind)
            | ComponentDefinedType::Option(kind)
            | ComponentDefinedType::FixedLengthList(kind, _) => self.members([Some(*kind)].into_iter()),
            _ => Ok(LEAF),
        }
    }

    fn members(&self, members: impl Iterator<Item = Option<ComponentValType>>) -> Result<Extent, Excess> {
        let mut whole = LEAF;
        let mut count = 0;
        for member in members {
            count += 1;
            let extent = match member {
                Some(ComponentValType::Type(index)) => self.at(index),
                Some(ComponentValType::Primitive(_)) | None => LEAF,
            };
            whole.depth = whole.depth.max(extent.depth.saturating_add(1));
            whole.parts = whole.parts.saturating_add(extent.parts);
        }
        Quantity::Members.check(count, MAX_MEMBERS)?;
        Quantity::TypeDepth.check(whole.depth, MAX_TYPE_DEPTH)?;
        Quantity::TypeParts.check(whole.parts, MAX_TYPE_PARTS)?;
        Ok(whole)
    }

    fn at(&self, index: u32) -> Extent {
        let scope = self.scopes.last();
        scope
            .and_then(|scope| scope.get(index as usize))
            .copied()
            .unwrap_or(LEAF)
    }

    fn push(&mut self, extent: Extent) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(extent);
        }
    }
}

/// A declaration, as far as it matters here.
enum Part<'d, 'a> {
    Type(&'d ComponentType<'a>),
    Alias(&'d ComponentAlias<'a>),
    Named(&'a str, &'d ComponentTypeRef),
    Other,
}

fn instance_part<'d, 'a>(declaration: &'d InstanceTypeDeclaration<'a>) -> Part<'d, 'a> {
    match declaration {
        InstanceTypeDeclaration::Type(kind) => Part::Type(kind),
        InstanceTypeDeclaration::Alias(alias) => Part::Alias(alias),
        InstanceTypeDeclaration::Export { name, ty } => Part::Named(name.name, ty),
        InstanceTypeDeclaration::CoreType(_) => Part::Other,
    }
}

fn component_part<'d, 'a>(declaration: &'d ComponentTypeDeclaration<'a>) -> Part<'d, 'a> {
    match declaration {
        ComponentTypeDeclaration::Type(kind) => Part::Type(kind),
        ComponentTypeDeclaration::Alias(alias) => Part::Alias(alias),
        ComponentTypeDeclaration::Export { name, ty } => Part::Named(name.name, ty),
        ComponentTypeDeclaration::Import(import) => Part::Named(import.name.name, &import.ty),
        ComponentTypeDeclaration::CoreType(_) => Part::Other,
    }
}

/// Adds the name that the type of this number is given further on, if it is given one.
fn named_after<'a, D>(
    mut excess: Excess,
    index: usize,
    rest: Option<&[D]>,
    part: impl Fn(&D) -> Part<'_, 'a>,
) -> Excess {
    let name = rest
        .unwrap_or_default()
        .iter()
        .find_map(|declaration| match part(declaration) {
            Part::Named(name, ComponentTypeRef::Type(TypeBounds::Eq(of)) | ComponentTypeRef::Func(of))
                if *of as usize == index =>
            {
                Some(name.to_owned())
            }
            _ => None,
        });
    excess.path.splice(0..0, name);
    excess
}
